"""The imperative shell round the pure core: sessions, turns, compaction, approval and tools."""
