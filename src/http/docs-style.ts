/** The reader's looks: phone first, light and dark, nothing but system fonts. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #fff; --line: #d0d7de; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --dim: #9da7b1; --paper: #0d1117; --line: #30363d; --link: #79c0ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
article { border-top: 1px solid var(--line); padding: .5rem 0; }
h3 { margin: .5rem 0; font-size: 1rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
small, dd { color: var(--dim); }
dl { margin: .5rem 0; }
dd { margin: 0 0 .25rem 1rem; }
ul { padding-left: 1.2rem; }
`;
