/** A script of src/ui/browser as the Worker imports it. scripts/browser-scripts.ts builds it. */
declare module "browser:*" {
  /** A changed script has another path, so it can be cached for ever. */
  const path: string;
  const text: string;
}
