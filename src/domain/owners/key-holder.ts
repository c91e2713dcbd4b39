/** The number of whoever acts with an owner's key. No participant has it. */
export const KEY_HOLDER = 0;
