"""The tools a model may ask for, one file each."""
