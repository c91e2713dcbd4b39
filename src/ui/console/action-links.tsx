/** What can be done to the session, as links to the pages that ask once more. */
import type { SessionView } from "../../domain/session/view";
import type { Entered } from "../../gateway/console-door";
import { ACTIONS, fits, mayAct, type ActionName } from "./action-table";
import type { ConsoleReader } from "./reader";

interface LinksProps {
  readonly session: SessionView;
  readonly entered: Entered;
  readonly reader: ConsoleReader;
}

export function ActionLinks({ session, entered, reader }: LinksProps) {
  const { actions } = reader.console;
  const names = (Object.keys(ACTIONS) as readonly ActionName[]).filter(
    (name) => name !== "revoke" && fits(name, session),
  );
  const offered = names.filter((name) => mayAct(name, session, entered.holder));
  const lacking = [
    ...new Set(names.filter((name) => !offered.includes(name)).map((name) => ACTIONS[name].right)),
  ];
  return (
    <nav class="acts" aria-label={actions.title}>
      {offered.map((name) => (
        <a
          class={["button", name === "open" ? "primary" : "", isBad(name) ? "bad" : ""].join(" ")}
          href={`/console/sessions/${session.id}/${name}`}
        >
          {actions[name].name}
        </a>
      ))}
      {lacking.map((right) => (
        <span class="meta">{actions.lacking(right)}</span>
      ))}
    </nav>
  );
}

const isBad = (name: ActionName): boolean => "isForGood" in ACTIONS[name];
