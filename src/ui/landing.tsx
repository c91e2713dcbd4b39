/** What a link shows before it is opened, and when it does not open. Nothing here is private. */
import type { LinkCode } from "../domain/links/link-code";
import { LIMITS } from "../domain/limits";
import { Layout } from "./layout";
import { LANDING, REFUSALS } from "./words";

export function Landing({ code, nonce }: { readonly code: LinkCode; readonly nonce: string }) {
  return (
    <Layout title={LANDING.title}>
      <h1>{LANDING.title}</h1>
      <p>{LANDING.lead}</p>
      <form method="post" action={`/h/${code}`} class="card">
        <input type="hidden" name="nonce" value={nonce} />
        <div class="control">
          <label for="name">{LANDING.name}</label>
          <input
            id="name"
            name="name"
            type="text"
            maxlength={LIMITS.actorIdLength}
            autocomplete="name"
            aria-describedby="name-help"
          />
          <p class="help" id="name-help">
            {LANDING.nameHelp}
          </p>
        </div>
        <button type="submit" class="primary">
          {LANDING.open}
        </button>
        <p class="help">{LANDING.note}</p>
      </form>
    </Layout>
  );
}

export function Refused({ why, href }: { readonly why: keyof typeof REFUSALS; href?: string }) {
  const { title, text, todo } = REFUSALS[why];
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>{todo}</p>
      {href !== undefined && (
        <p>
          <a class="button" href={href}>
            {LANDING.open}
          </a>
        </p>
      )}
    </Layout>
  );
}
