/** Buttons that send the form around them with the name of an action. */
import type { JSX } from "hono/jsx";

type ActionButtonProps = JSX.IntrinsicElements["button"] & { readonly action: string };

export const ActionButton = ({ action, children, ...rest }: ActionButtonProps) => (
  <button type="submit" name="action" value={action} {...rest}>
    {children}
  </button>
);

/** A button with a symbol and a label for screen readers. It skips the browser's validation. */
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
