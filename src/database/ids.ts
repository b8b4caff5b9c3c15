declare const brand: unique symbol;

/** The row id of an account, which is not the user ID that people see. */
export type AccountId = number & { readonly [brand]: 'AccountId' };
/** A job's public id: a lower-case ULID, so it sorts by time and never looks like a token. */
export type JobId = string & { readonly [brand]: 'JobId' };
/**
 * Names a pass over a file or a batch, whose pages have this id until they are adopted. The attempts of a job are one
 * pass, under the id of the job.
 */
export type PassId = string & { readonly [brand]: 'PassId' | 'JobId' };
/** The row id of a key. */
export type KeyId = number & { readonly [brand]: 'KeyId' };
