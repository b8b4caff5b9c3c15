// The uploads that were interrupted: they stand in the list of files, and whoever has the file goes on with it here.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { folderPath } from './places.ts';
import { sizeText } from './shown-job.ts';

const MOST_SHOWN = 20;

/** Returns the table of the interrupted uploads of the account; nothing if there is none. */
export async function unfinishedPart(call: PortalCall, drops: PortalParts['drops']): Promise<Html> {
	const files = await drops.listUnfinished(principalOf(call).accountId, MOST_SHOWN);
	if (files.length === 0) return html``;
	return tableOf<DropFile>(
		call,
		{
			caption: 'files.unfinishedCaption',
			columns: [
				['files.name', ({ name }) => name],
				['files.folder', (file) => link(folderPath(file), `/${file.area}/${file.filter}`)],
				['files.kept', ({ size }, { language }) => sizeText(size, language)],
				['files.interrupted', ({ modified_at }) => new Date(modified_at)],
				['files.actions', continueButton, ({ viewer }) => viewer.has('files.upload')],
			],
			none: () => html``,
		},
		files,
	);
}

/** Returns the button whose script asks for the file and goes on with it. Without scripts it is not shown. */
function continueButton({ area, filter, name }: DropFile, { say }: PortalCall): Html {
	const label = say('files.continue');
	return html`<button type="button" class="plain scripted" data-continue="${area}/${filter}" data-name="${name}" aria-label="${label}: ${name}">${label}</button>`;
}
