// Removes a file of a folder after the user has confirmed it.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { notice } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { FOLDER, folderOfCall, folderPath } from './places.ts';

const { question } = pagesOf({ section: 'files', help: '/docs/portal#a-file' });

export function removePages({ audit, drops, formats }: Pick<PortalParts, 'audit' | 'drops' | 'formats'>): PortalPage[] {
	return question<DropFile>(`${FOLDER}/remove`, 'files.change', {
		title: 'files.removeTitle',
		async find(call) {
			const folder = folderOfCall(call, formats);
			if (folder.area === 'detokenize' || folder.area === 'detokenized') requireNumbers(call);
			const file = await drops.find(folder, call.query.name ?? '');
			if (file?.state === 'accepted')
				throw new ServiceError('bad-input-data', { moreInfo: call.say('files.isWaiting') });
			return file;
		},
		says: (file, call) => namesPart(call, [file]),
		submit: (_, { say }) => say('files.removeCount', { count: 1 }),
		back: folderPath,
		async act(file, call) {
			await noteRemoval(call, audit, `file ${pathOf(file)}`, [file]);
			if (!(await drops.remove(file)))
				throw new ServiceError('bad-input-data', { moreInfo: call.say('files.hasChanged') });
			return { redirectTo: folderPath(file), notice: call.say('files.removed') };
		},
	});
}

function pathOf({ area, filter, name }: DropFile): string {
	return `/${area}/${filter}/${name}`;
}

export function namesPart({ say }: PortalCall, files: readonly DropFile[]): Html {
	if (files.length === 0) return notice('plain', say('files.nothingLeft'));
	return html`<p>${say('files.removeQuestion')}</p><ul>${files.map((file) => html`<li>${pathOf(file)}</li>`)}</ul>
<p>${say('files.tokensStay')}</p>`;
}

export function noteRemoval(
	{ viewer }: PortalCall,
	audit: PortalParts['audit'],
	subject: string,
	files: readonly DropFile[],
): Promise<void> {
	const details = { names: files.map(pathOf).join(', ') };
	return audit.record({ actor: viewer.actor, action: 'file.remove', subject, details });
}
