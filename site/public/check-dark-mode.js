// Before the page is drawn: the look that the reader chose, or that of the machine.
const chosen = localStorage.getItem("vitepress-theme-appearance") || "auto";
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
if (!chosen || chosen === "auto" ? isDark : chosen === "dark") {
  document.documentElement.classList.add("dark");
}
