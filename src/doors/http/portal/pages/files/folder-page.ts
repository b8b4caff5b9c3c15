// The page of a folder: its files under the same names as over sFTP.

import { holdsCardNumber } from '../../../../../base/card/spelling/spelled-number.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import { isInputArea, OUTPUT_AREA } from '../../../../../work/drops/drop-names.ts';
import { type DropFile, dropStore } from '../../../../../work/drops/drop-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, field, pager, table, time, typedSearchForm } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { withTypedSearch } from '../../typed-search.ts';
import { mayHaveNumbers, principalOf } from './account-of.ts';
import { filePath, folderOfCall, folderPath } from './places.ts';
import { sftpHelp } from './sftp-line.ts';
import { dropBadge, sizeText } from './shown-job.ts';

const PAGE_LENGTH = 100;

export function folderPages(rooms: HttpRooms): PortalPage[] {
	const list: PortalPage = {
		path: '/portal/files/:area/:filter',
		method: 'GET',
		right: 'files.see',
		async handle(call) {
			const folder = folderOfCall(call, rooms);
			const { texts, query } = call;
			const { files } = texts;
			const problem = query.from && holdsCardNumber(query.from) ? files.noNumber : undefined;
			const from = problem === undefined ? query.from : undefined;
			const after = query.after || from || null;
			// One row more than the page shows is read: if that row exists, there is a next page. Several waiting
			// inputs can have the same name, which is listed once.
			const found = await dropStore(rooms.database.knex).listPage(folder, after, PAGE_LENGTH + 1);
			const shown = found.slice(0, PAGE_LENGTH).filter(({ name }, index) => name !== found[index - 1]?.name);
			const next = found.length > PAGE_LENGTH ? shown.at(-1)!.name : undefined;
			const path = folderPath(folder);
			const body = html`<p>${files.areas[folder.area]}</p>
<p class="actions">${isInputArea(folder.area) && html`<a href="${folderPath({ area: OUTPUT_AREA[folder.area], filter: folder.filter })}">/${OUTPUT_AREA[folder.area]}/${folder.filter}</a> `}<a href="/portal/files">${files.title}</a></p>
${typedSearchForm(call, { action: path, submit: files.search, body: field({ name: 'from', label: files.from, hint: files.fromHint, type: 'search', value: from, problem }) })}
${
	shown.length === 0
		? emptyState(files.emptyFolder, sftpHelp(call, principalOf(call).userId, rooms))
		: table({
				caption: fillText(files.folderCaption, { folder: `/${folder.area}/${folder.filter}` }),
				head: [files.name, files.state, files.size, files.date, files.actions],
				rows: shown.map((file) => rowOf(call, file)),
			})
}${pager(call, path, { from, after: query.after }, next)}`;
			const title = `/${folder.area}/${folder.filter}`;
			return { page: { title, section: 'files', body, help: '/docs/portal#folders-and-names' } };
		},
	};
	return withTypedSearch(list, ['from']);
}

function rowOf(call: PortalCall, file: DropFile) {
	const { viewer, texts, language } = call;
	const { files } = texts;
	const { name, state, job_id: jobId } = file;
	const mayFetch = file.area === 'detokenized' ? mayHaveNumbers(viewer) : viewer.has('files.fetch');
	const isInClear = file.area === 'detokenized' || file.area === 'detokenize';
	const mayRemove = viewer.has('files.change') && (!isInClear || mayHaveNumbers(viewer));
	const action = (kind: 'download' | 'remove', label: string): Html =>
		html`<a href="${filePath(file, kind, name)}" aria-label="${label}: ${name}">${label}</a> `;
	return [
		jobId === null ? name : html`<a href="/portal/jobs/${jobId}">${name}</a>`,
		dropBadge(state, files),
		sizeText(file.size, language),
		time(file.modified_at, language),
		html`${state === 'ready' && mayFetch && action('download', files.fetch)}${state !== 'accepted' && mayRemove && action('remove', files.remove)}`,
	];
}
