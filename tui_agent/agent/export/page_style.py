"""The stylesheet of exported pages; it names no font, image or sheet outside the page."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fdfdfb; --raised: #f3f2ee; --text: #1d1f24; --muted: #62666f; --line: #d9d7d0;
  --you: #1f5fa8; --agent: #2f6f4f; --summary: #8a5a00; --warn: #a3341f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181c; --raised: #1f2227; --text: #e4e4e1; --muted: #9a9da5; --line: #34383f;
    --you: #86b7f0; --agent: #86cfa5; --summary: #e3b35f; --warn: #f09a86;
  }
}
* { box-sizing: border-box; }
body {
  max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 6rem;
  background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
a { color: inherit; text-decoration-color: var(--muted); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--you); outline-offset: 2px; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; color: var(--muted); }
dl.facts dd { margin: 0; color: var(--text); }
article { margin: 1rem 0; padding: .25rem 0 .25rem 1rem; border-left: 3px solid var(--line); }
article.user { border-color: var(--you); }
article.assistant { border-color: var(--agent); }
article.tool { margin-left: 1rem; }
article:target, li:target, section:target { background: var(--raised); outline: 2px solid var(--summary); }
.meta { color: var(--muted); font-size: .85rem; }
.meta b { color: var(--text); }
.user > .meta b { color: var(--you); }
.assistant > .meta b { color: var(--agent); }
.text { white-space: pre-wrap; margin: .25rem 0; }
pre {
  white-space: pre-wrap; margin: .4rem 0; padding: .6rem .8rem; border-radius: .3rem;
  background: var(--raised); font: .9rem/1.45 ui-monospace, monospace; tab-size: 4;
}
img { max-width: 100%; height: auto; }
details { margin: .5rem 0; }
details > summary { cursor: pointer; color: var(--muted); }
details.folded, details.rewound { border: 1px dashed var(--line); border-radius: .4rem; padding: .4rem .8rem; }
details.folded > summary { color: var(--summary); }
details.rewound { opacity: .75; }
section.version { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0; }
section.version.live { border-color: var(--summary); }
ul { margin: .25rem 0; padding-left: 1.25rem; }
.sources { font-size: .85rem; color: var(--muted); }
.badge {
  padding: 0 .45rem; border: 1px solid currentColor; border-radius: .6rem;
  font-size: .8rem; color: var(--muted);
}
.badge.warn { color: var(--warn); }
.notice { color: var(--muted); font-size: .9rem; margin: .75rem 0; padding-left: 1rem; }
.failure { color: var(--warn); }
@media print {
  body { max-width: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
