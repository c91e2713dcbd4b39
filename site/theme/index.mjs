/**
 * The default theme without its fonts: what a reader's machine has is there at once. What the search
 * counts comes from search.mjs.
 */
import Theme from "vitepress/theme-without-fonts";
import { searchOptions } from "../search.mjs";
// oxlint-disable-next-line import/no-unassigned-import -- styles are only loaded
import "./style.css";

export default {
  extends: Theme,
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = {
      ...siteData.value.themeConfig.search.options,
      miniSearch: { searchOptions },
    };
  },
};
