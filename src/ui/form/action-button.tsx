/** Buttons that send the form they stand in, with the name of what is to be done. */
import type { JSX } from "hono/jsx";

type ActionButtonProps = JSX.IntrinsicElements["button"] & { readonly action: string };

export const ActionButton = ({ action, children, ...rest }: ActionButtonProps) => (
  <button type="submit" name="action" value={action} {...rest}>
    {children}
  </button>
);

/** A sign to press, with words for those who listen. It sends the form unchecked. */
export const IconButton = ({
  sign,
  label,
  ...rest
}: ActionButtonProps & { readonly sign: string }) => (
  <ActionButton {...rest} formnovalidate>
    <span aria-hidden="true">{sign}</span>
    <span class="visually-hidden">{label}</span>
  </ActionButton>
);
