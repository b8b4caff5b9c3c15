// The tables that grow with every card, and how Citus spreads them over servers. All others stay on the coordinator.

/**
 * Each table that is spread, with the column that says where a row is: the page, so that a page and everything beside it
 * are on one server. Every unique key of them has the column.
 */
export const DISTRIBUTED_TABLES = {
	pages: 'id',
	token_refs: 'page_id',
	fingerprints: 'page_id',
	associations: 'page_id',
	cvvs: 'page_id',
	cvv_destinations: 'page_id',
} as const satisfies Readonly<Record<string, string>>;

/** The table beside whose rows those of the others are. */
export const FIRST_TABLE = 'pages' satisfies keyof typeof DISTRIBUTED_TABLES;

/**
 * The table that every server has as a whole: the ids of pages that may still be dropped. A server so knows of its own pages
 * which of them are not to be shown, at the same moment at which it reads them.
 */
export const REFERENCE_TABLE = 'page_blocks';

/**
 * The table of the coordinator that Citus has to know. A transaction that changes it and rows of another server is then
 * committed on both or on neither. Each one that records something in the trail moves an end of it, which is a row here.
 */
export const KNOWN_TABLE = 'audit_head';
