// Opens a page as it was read from the database, and reports one that is damaged. Lists, retention and sweeps pass over
// such a page; a call or job that needs a card on it fails.

import { noneIf } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { UnknownKeyError } from '../../base/keys/root-key.ts';
import { SealError } from '../../base/keys/seal.ts';
import { openPage, type PageContent } from './page-codec.ts';
import type { PageRow } from './page-store.ts';

/** This error is thrown if a page does not open: its row was altered, or it names a key that does not exist. */
export class DamagedPageError extends Error {
	override readonly name = 'DamagedPageError';
	readonly pageId: number;
	constructor(pageId: number, options: ErrorOptions) {
		super(`page ${pageId} of the vault is damaged: no key opens it`, options);
		this.pageId = pageId;
	}
}

/**
 * Opens a page as it was read from the database. A damaged page is reported like a row that does not match its seal:
 * in the log, the metrics and the audit trail.
 * @throws DamagedPageError
 */
export async function openPageRow(keyRing: Pick<KeyRing, 'byId' | 'seals'>, page: PageRow): Promise<PageContent> {
	try {
		const key = await keyRing.byId(page.key_id);
		return openPage(key.secret, page.sealed, page.id, page.account_id, page.key_id);
	} catch (cause) {
		if (!(cause instanceof SealError) && !(cause instanceof UnknownKeyError)) throw cause;
		keyRing.seals.tell({ table: 'pages', id: String(page.id), why: 'altered' });
		throw new DamagedPageError(page.id, { cause });
	}
}

/** Opens a page like `openPageRow`, but returns undefined if it is damaged, which has been reported then. */
export async function openUnlessDamaged(
	keyRing: Pick<KeyRing, 'byId' | 'seals'>,
	page: PageRow,
): Promise<PageContent | undefined> {
	return openPageRow(keyRing, page).catch(noneIf((error) => error instanceof DamagedPageError));
}
