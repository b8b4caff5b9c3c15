// Creates the objects that all pages with a form share: the open forms, the style sheets and the writer of pages.

import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Vault } from '../../../vault/vault.ts';
import { openForms } from '../../../work/cardholders/forms/forms.ts';
import { openStyles } from '../../../work/cardholders/forms/styles.ts';
import type { HttpSettings } from '../settings.ts';
import { formPages } from './form-page.ts';

const OPEN_MINUTES = 30;

export type HostedForms = ReturnType<typeof openHostedForms>;

export function openHostedForms(parts: {
	database: Database;
	keyRing: KeyRing;
	identity: Identity;
	audit: Audit;
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'baseUrl' | 'formMinutes'>;
}) {
	const { identity, settings } = parts;
	const styles = openStyles({ ...parts, accounts: identity.accounts });
	const forms = openForms({ ...parts, openMinutes: settings.formMinutes ?? OPEN_MINUTES });
	return { forms, styles, pages: formPages(parts, styles) };
}
