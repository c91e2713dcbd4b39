// Scalar on this server's own description, with nothing asked of another host.
const css = `
  .light-mode { --scalar-color-1: #1b1f24; --scalar-color-2: #3d444d; --scalar-color-3: #4f5761;
    --scalar-color-green: #0a5c2b; --scalar-color-blue: #0550ae; --scalar-color-orange: #7a3e00;
    --scalar-color-red: #a3142a; --scalar-color-yellow: #6b4a00; --scalar-color-purple: #5a32a3; }
  .dark-mode { --scalar-color-1: #f0f3f6; --scalar-color-2: #d0d7de; --scalar-color-3: #c1c8d0;
    --scalar-color-green: #7ee2a0; --scalar-color-blue: #9ed0ff; --scalar-color-orange: #ffc38f;
    --scalar-color-red: #ffb1b1; --scalar-color-yellow: #f2d479; --scalar-color-purple: #d9c2ff; }
`;

window.Scalar.createApiReference("#reader", {
  url: "/openapi.json",
  customCss: css,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
});

/** Buttons that show a picture only are read out as what they do. */
const nameButtons = () => {
  for (const button of document.querySelectorAll('button[class*="copy"]:not([aria-label])')) {
    button.setAttribute("aria-label", "Copy");
  }
};
new MutationObserver(nameButtons).observe(document.body, { childList: true, subtree: true });
nameButtons();
