/** The default theme without its fonts: what a reader's machine has is there at once. */
import Theme from "vitepress/theme-without-fonts";
// oxlint-disable-next-line import/no-unassigned-import -- styles are only loaded
import "./style.css";

export default Theme;
