/** A script of src/ui/browser as the Worker knows it; scripts/browser-scripts.ts makes it. */
declare module "browser:*" {
  /** Where it is served: a changed script has another path, so it may be cached for ever. */
  const path: string;
  const text: string;
}
