// Creates the objects that all pages with a form share: the open forms, the style sheets and the writer of pages.

import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { openForms } from '../../../work/cardholders/forms/forms.ts';
import { openStyles } from '../../../work/cardholders/forms/styles.ts';
import type { CallParts } from '../calls/parts.ts';
import { formPages } from './form-page.ts';

const OPEN_MINUTES = 30;

export type HostedForms = ReturnType<typeof openHostedForms>;

export function openHostedForms(
	parts: Pick<CallParts, 'audit' | 'clock' | 'database' | 'identity' | 'settings' | 'vault'> & { keyRing: KeyRing },
) {
	const { identity, settings } = parts;
	const styles = openStyles({ ...parts, accounts: identity.accounts });
	const forms = openForms({ ...parts, openMinutes: settings.formMinutes ?? OPEN_MINUTES });
	return { forms, styles, pages: formPages(parts, styles) };
}
