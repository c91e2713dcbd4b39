/** How the pages under /docs look: phone first, light and dark, nothing but system fonts. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #fff; --card: #f6f8fa; --line: #d0d7de;
  --link: #0550ae; --warn: #7a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --dim: #9da7b1; --paper: #0d1117; --card: #161b22; --line: #30363d; --link: #79c0ff;
    --warn: #f0c062; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 76rem; color: var(--ink); background: var(--paper);
  font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem 1rem; z-index: 1; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; padding: .75rem 1rem;
  border-bottom: 1px solid var(--line); }
.top a { padding: .25rem 0; }
.brand { font-weight: 700; font-size: 1.2rem; color: inherit; text-decoration: none; margin-right: auto; }
main { padding: 1rem 1rem 2rem; min-width: 0; }
h1, h2, h3 { line-height: 1.25; }
h1 { font-size: 1.8rem; margin: .75rem 0 1rem; }
h2 { font-size: 1.35rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
.anchor { color: var(--dim); text-decoration: none; font-weight: 400; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88em; overflow-wrap: anywhere; }
:not(pre) > code { background: var(--card); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem;
  overflow-x: auto; line-height: 1.45; }
pre code { overflow-wrap: normal; font-size: .85rem; }
figure { margin: 1rem 0; }
figure pre { margin: 0; }
figcaption { color: var(--warn); font-size: .9rem; margin-top: .25rem; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .95rem; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top;
  min-width: 4rem; }
td code { overflow-wrap: normal; }
td:nth-child(n+3) { min-width: 9rem; }
.proof { display: block; font-size: .78em; color: var(--dim); }
:not(pre) > code.proof { background: none; padding: 0; }
pre.output { background: none; border-left-width: 4px; margin-top: -.5rem; }
th { color: var(--dim); font-weight: 600; }
small, dd { color: var(--dim); }
dl { margin: .5rem 0; }
dd { margin: 0 0 .25rem 1rem; }
ul, ol { padding-left: 1.4rem; }
li { margin: .25rem 0; }
li > p { margin: .25rem 0; }
blockquote { margin: 1rem 0; padding: .1rem 1rem; border-left: 4px solid var(--line); color: var(--dim); }
article { border-top: 1px solid var(--line); padding: .5rem 0; overflow-wrap: anywhere; }
article h3 { margin: .5rem 0; font-size: 1rem; }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; margin: 1rem 0; }
summary { cursor: pointer; color: var(--link); }
.contents ul { margin: .5rem 0; }
.sections ul, #pages ul { padding: 0; list-style: none; }
.sections ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
#pages { padding: 1rem; border-top: 1px solid var(--line); }
#pages ul { margin: .25rem 0; }
#pages h2 { font-size: .95rem; color: var(--dim); margin: 1.25rem 0 .25rem; }
#pages a { display: block; padding: .2rem 0; }
[aria-current="page"] { color: var(--ink); font-weight: 600; text-decoration: none; }
.file { border-bottom: 1px dotted var(--dim); }
.source { margin-top: 3rem; font-size: .9rem; }
.picture { display: block; overflow-x: auto; margin: 1rem 0; }
.picture img { display: block; min-width: 36rem; max-width: 100%; height: auto; }
.drawing .scroll { overflow-x: auto; }
.drawing svg { display: block; font: 13px system-ui, sans-serif; fill: var(--ink); }
.drawing .box, .drawing .note { fill: var(--card); stroke: var(--line); }
.drawing .life { stroke: var(--line); stroke-dasharray: 4 4; fill: none; }
.drawing .line { stroke: var(--ink); fill: none; stroke-width: 1.3; }
.drawing .dashed { stroke-dasharray: 5 4; }
.drawing details { font-size: .95rem; }
@media (min-width: 62rem) {
  .page { display: grid; grid-template: auto 1fr / minmax(0, 1fr) 16rem; column-gap: 2rem; }
  .top { grid-column: 1 / -1; }
  #pages { border-top: 0; border-left: 1px solid var(--line); align-self: start; position: sticky; top: 0;
    max-height: 100vh; overflow-y: auto; }
}
@media print { .top, #pages, .contents, .anchor, .source { display: none; } }
`;
