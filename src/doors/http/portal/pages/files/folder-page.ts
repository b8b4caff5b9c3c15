// The page of a folder: its files under the same names as over sFTP.

import { html } from '../../../../../base/pages/html.ts';
import { isInputArea, OUTPUT_AREA } from '../../../../../work/drops/drop-names.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import type { FolderPage } from '../../../../../work/drops/folder-page.ts';
import { link } from '../../kinds/columns.ts';
import { countPart, fileOf, MOST_COUNTED } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { mayHaveNumbers, principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { emptyState, Figure } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { sftpHelp } from './first-file.ts';
import { FILES, FOLDER, filePath, folderOfCall, folderPath } from './places.ts';
import { dropBadge, jobPath, sizeText } from './shown-job.ts';

const PAGE_LENGTH = 100;
/** So many files of an export are read at a time. */
const BATCH_LENGTH = 500;
const FILE = fileOf<DropFile>(
	...(['name', 'state'] as const),
	['bytes', ({ size }) => size],
	['changedAt', ({ modified_at }) => new Date(modified_at)],
	['job', ({ job_id }) => job_id],
);

const { list } = pagesOf({ section: 'files', help: '/docs/portal#folders-and-names' });

export function folderPages(parts: Pick<PortalParts, 'drops' | 'formats' | 'settings'>): PortalPage[] {
	const { drops, formats, settings } = parts;
	const nameOf = (call: PortalCall) => {
		const { area, filter } = folderOfCall(call, formats);
		return `/${area}/${filter}`;
	};
	return list<DropFile>(FOLDER, 'files.see', {
		title: nameOf,
		above: (call) => linksPart(call, folderOfCall(call, formats)),
		search: {
			noNumber: 'files.noNumber',
			filters: [{ name: 'from', label: 'files.from', hint: 'files.fromHint', type: 'search' }],
		},
		async find(call, { values: { from }, after, before }) {
			const folder = folderOfCall(call, formats);
			const range = before === undefined ? { from, after } : { from, before };
			const [{ files, next, previous }, counted] = await Promise.all([
				drops.listPage(folder, range, PAGE_LENGTH),
				drops.countNames(folder, { from }, MOST_COUNTED + 1),
			]);
			const [first, last] = [files[0], files.at(-1)];
			return {
				rows: files,
				next: before === undefined ? next : last?.name,
				previous: before === undefined ? after && first?.name : previous,
				before: countPart(call, counted),
			};
		},
		exported: {
			columns: FILE.columns,
			async *rows(call, { values: { from } }, check) {
				const folder = folderOfCall(call, formats);
				let after: string | undefined;
				do {
					await check();
					const { files, next }: FolderPage = await drops.listPage(folder, { from, after }, BATCH_LENGTH);
					for (const file of files) yield FILE.cellsOf(file);
					after = next;
				} while (after !== undefined);
			},
		},
		caption: (call) => call.say('files.folderCaption', { folder: nameOf(call) }),
		columns: [
			['words.name', ({ job_id, name }) => (job_id === null ? name : link(jobPath({ id: job_id }), name))],
			['words.state', ({ state }, call) => dropBadge(call, state)],
			['words.size', ({ size }, { language }) => new Figure(sizeText(size, language))],
			['files.date', ({ modified_at }) => new Date(modified_at)],
			['files.actions', actionLinks],
		],
		none: (call, { isNarrowed }) =>
			isNarrowed
				? emptyState(call.say('frame.noneFits'))
				: emptyState(call.say('files.emptyFolder'), sftpHelp(call, principalOf(call).userId, settings)),
	});
}

function linksPart({ say }: PortalCall, { area, filter }: Pick<DropFile, 'area' | 'filter'>) {
	const output = isInputArea(area) && { area: OUTPUT_AREA[area], filter };
	return html`<p>${say(`files.areas.${area}`)}</p>
<p class="actions">${output && html`${link(folderPath(output), `/${output.area}/${filter}`)} `}${link(FILES, say('frame.sections.files'))}</p>`;
}

function actionLinks(file: DropFile, call: PortalCall) {
	const { viewer, say } = call;
	const { area, name, state } = file;
	const action = (kind: 'download' | 'remove', label: string) =>
		html`<a href="${filePath(file, kind, name)}"${kind === 'download' && html` data-whole`} aria-label="${label}: ${name}">${label}</a> `;
	const mayFetch = area === 'detokenized' ? mayHaveNumbers(call) : viewer.has('files.fetch');
	const isInClear = area === 'detokenized' || area === 'detokenize';
	const mayRemove = viewer.has('files.change') && (!isInClear || mayHaveNumbers(call));
	return [
		state === 'ready' && mayFetch && action('download', say('files.fetch')),
		state !== 'accepted' && mayRemove && action('remove', say('files.remove')),
	];
}
