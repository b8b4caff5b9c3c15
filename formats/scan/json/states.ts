// What may come next in a JSON text.

export const TOP = 0;
export const VALUE = 1;
export const VALUE_OR_END = 2;
export const KEY = 3;
export const KEY_OR_END = 4;
export const COLON = 5;
export const AFTER_VALUE = 6;
/** Inside a string nobody needs: it is passed over as it comes, however long. Both come last. */
export const IN_KEY = 7;
export const IN_STRING = 8;
