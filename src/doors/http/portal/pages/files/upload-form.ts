// The form that uploads files. With JavaScript, an upload goes on after an interruption; without it, it starts anew.

import { type Asset, getAsset } from '../../../../../base/pages/assets.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { csrfField } from '../../csrf.ts';
import { mayHaveNumbers } from '../../own.ts';
import { choiceField } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { textsUnder } from '../../texts.ts';

export const UPLOAD_PATH = '/portal/upload';

/** Returns the form. `folder` is the one that is chosen at first, if the viewer may send files there. */
export function uploadForm(call: PortalCall, filters: readonly string[], folder: string): Html {
	const { say } = call;
	const directions = mayHaveNumbers(call) ? (['tokenize', 'detokenize'] as const) : (['tokenize'] as const);
	const folders = directions.flatMap((direction) =>
		filters.map((filter) => [`${direction}/${filter}`, `/${direction}/${filter}`] as const),
	);
	return html`<h2 id="send">${say('files.send')}</h2>
<form method="post" action="${UPLOAD_PATH}" enctype="multipart/form-data" id="upload" class="drop">${csrfField(call)}
${choiceField({ name: 'folder', label: say('words.folder'), hint: say('files.intoFolderHint'), options: folders, value: call.query.folder ?? folder })}
<div class="field"><label for="file">${say('frame.sections.files')}</label>
<input id="file" name="file" type="file" multiple required></div>
<button>${say('files.sendButton')}</button>
<p class="hint" id="drop-hint" hidden>${say('files.dropHint')}</p>
</form>
`;
}

export function uploadScripts(): Asset[] {
	return [getAsset('portal-upload.js')];
}

/** Returns the data for the script of the form: the paths, the id of the user, and the texts that it shows. */
export function uploadData({ viewer, basePath, language }: PortalCall) {
	return {
		path: `${basePath}${UPLOAD_PATH}`,
		jobPath: `${basePath}/portal/jobs/`,
		loginPath: `${basePath}/portal/login?next=/portal/files`,
		user: viewer.user.id,
		texts: textsUnder(language, 'upload.'),
	};
}
