/** No participant has this number: it stands for who acts by an owner's key. */
export const KEY_HOLDER = 0;
