// Creates the objects that all pages with a form share: the open forms, the style sheets and the writer of pages.

import { type Forms, openForms } from '../../../work/cardholders/forms/forms.ts';
import { openStyles, type Styles } from '../../../work/cardholders/forms/styles.ts';
import type { HttpRooms } from '../rooms.ts';
import { type FormPages, formPages } from './form-page.ts';

const OPEN_MINUTES = 30;

export interface HostedForms {
	readonly forms: Forms;
	readonly styles: Styles;
	readonly pages: FormPages;
}

export function openHostedForms(rooms: HttpRooms): HostedForms {
	const { identity, settings } = rooms;
	const styles = openStyles({ ...rooms, accounts: identity.accounts });
	const forms = openForms({ ...rooms, openMinutes: settings.formMinutes ?? OPEN_MINUTES });
	return { forms, styles, pages: formPages(rooms, styles) };
}
