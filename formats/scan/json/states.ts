// These are the states of the JSON reader; each says what may come next.

export const TOP = 0;
export const VALUE = 1;
export const VALUE_OR_END = 2;
export const KEY = 3;
export const KEY_OR_END = 4;
export const COLON = 5;
export const AFTER_VALUE = 6;
/**
 * The reader is inside a string that is not needed and skips it, however long it is. `IN_KEY` and `IN_STRING` have the
 * highest numbers, so that one comparison recognises them.
 */
export const IN_KEY = 7;
export const IN_STRING = 8;
