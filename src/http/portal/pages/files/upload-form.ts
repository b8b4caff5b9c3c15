// The form that uploads files. Without JavaScript it sends a file in one piece; with it, in several pieces, so that an
// upload can go on after an interruption.

import { type Asset, getAsset } from '../../../../pages/assets.ts';
import { type Html, html } from '../../../../pages/html.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { csrfField } from '../../csrf.ts';
import { choiceField } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { mayHaveNumbers } from './account-of.ts';

export const UPLOAD_PATH = '/portal/upload';
/**
 * The script sends a file in pieces of this size. Each piece ends with a write to the disk, so many small pieces would be
 * slow. If a piece breaks off, the bytes received so far are kept.
 */
const PIECE_BYTES = 256 * 1024 * 1024;

export function uploadForm(call: PortalCall, { formats }: Pick<HttpRooms, 'formats'>): Html {
	const { files } = call.texts;
	const directions = mayHaveNumbers(call.viewer) ? (['tokenize', 'detokenize'] as const) : (['tokenize'] as const);
	const folders = directions.flatMap((direction) =>
		[...formats.keys()].map((filter) => [`${direction}/${filter}`, `/${direction}/${filter}`] as const),
	);
	return html`<h2>${files.send}</h2>
<form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" id="upload" class="drop">${csrfField(call)}
${choiceField({ name: 'folder', label: files.intoFolder, hint: files.intoFolderHint, options: folders, value: call.query.folder })}
<div class="field"><label for="file">${files.file}</label>
<input id="file" name="file" type="file" multiple required></div>
<button>${files.sendButton}</button>
<p class="hint" id="drop-hint" hidden>${files.dropHint}</p>
</form>
<ul id="uploads" class="uploads" aria-live="polite"></ul>
`;
}

export function uploadScripts(): Asset[] {
	return [getAsset('portal-upload.js')];
}

/** Returns the data for the script of the form: the paths, the id of the user, and the texts that it shows. */
export function uploadData({ viewer, basePath, texts: { files } }: PortalCall) {
	return {
		path: `${basePath}${UPLOAD_PATH}`,
		jobPath: `${basePath}/portal/jobs/`,
		loginPath: `${basePath}/portal/login?next=/portal/files`,
		user: viewer.user.id,
		pieceBytes: PIECE_BYTES,
		texts: files.uploading,
	};
}
