/**
 * The address of the coordinator of a Citus cluster on which tests run; undefined where there is none. It is that of a superuser, with
 * a database in which the cluster's servers are registered.
 */
export const CITUS_URL = process.env.TOKENDROP_TEST_CITUS_URL || undefined;
