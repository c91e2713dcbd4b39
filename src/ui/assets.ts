/**
 * The files that the pages load, by path. Scripts are built and hashed from src/ui/browser
 * (scripts/browser-scripts.ts); a new one must be imported here and named in wrangler.toml.
 */
import * as consoleScript from "browser:console";
import * as offlineWorker from "browser:offline";
import * as tryScript from "browser:try";
import * as pageScript from "browser:page";
import { CONSOLE_STYLE, CONSOLE_STYLE_PATH } from "./console/style";
import { ICON, PAGE_STYLE, STYLE_PATH } from "./style";

interface Asset {
  readonly text: string;
  readonly type: string;
  /** The path contains a hash of the text, so a changed text has another path. */
  readonly isHashed?: true;
  /** A service worker serves only below its own path unless this widens it. */
  readonly scope?: string;
}

const script = ({ path, text }: typeof tryScript): readonly [string, Asset] => [
  path,
  { text, type: "text/javascript", isHashed: true },
];

/** The path of all links. */
const OFFLINE_SCOPE = "/h/";

const ASSETS: ReadonlyMap<string, Asset> = new Map([
  [STYLE_PATH, { text: PAGE_STYLE, type: "text/css" }],
  ["/assets/icon.svg", { text: ICON, type: "image/svg+xml" }],
  script(pageScript),
  [
    offlineWorker.path,
    { text: offlineWorker.text, type: "text/javascript", isHashed: true, scope: OFFLINE_SCOPE },
  ],
  script(tryScript),
  script(consoleScript),
  [CONSOLE_STYLE_PATH, { text: CONSOLE_STYLE, type: "text/css" }],
]);

/** Null if there is no such file. */
export function answerAsset(path: string): Response | null {
  const asset = ASSETS.get(path);
  if (asset === undefined) return null;
  const caching = asset.isHashed === true ? "max-age=31536000, immutable" : "max-age=300";
  return new Response(asset.text, {
    headers: {
      "Content-Type": `${asset.type}; charset=utf-8`,
      "Cache-Control": `public, ${caching}`,
      "X-Content-Type-Options": "nosniff",
      ...(asset.scope === undefined ? {} : { "Service-Worker-Allowed": asset.scope }),
    },
  });
}
