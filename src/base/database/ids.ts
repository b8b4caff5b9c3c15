declare const brand: unique symbol;

/** The row id of an account, which is not the user ID that people see. */
export type AccountId = number & { readonly [brand]: 'AccountId' };
/** A job's public id: a lower-case ULID, so it sorts by time and never looks like a token. */
export type JobId = string & { readonly [brand]: 'JobId' };
/** Identifies a pass over a file or a batch, such as an attempt at a job. */
export type PassId = string & { readonly [brand]: 'PassId' };
/** The row id of a key. */
export type KeyId = number & { readonly [brand]: 'KeyId' };
