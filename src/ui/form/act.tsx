/** Buttons that send the form they stand in, with the name of what is to be done. */
import type { JSX } from "hono/jsx";

type ActProps = JSX.IntrinsicElements["button"] & { readonly action: string };

export const Act = ({ action, children, ...rest }: ActProps) => (
  <button type="submit" name="action" value={action} {...rest}>
    {children}
  </button>
);

/** A sign to press, with words for those who listen. It sends the form unchecked. */
export const Tool = ({ sign, label, ...rest }: ActProps & { readonly sign: string }) => (
  <Act {...rest} formnovalidate>
    <span aria-hidden="true">{sign}</span>
    <span class="visually-hidden">{label}</span>
  </Act>
);
