// The editor of a relay profile: its text, the problems in it, and a trial on an example.

import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { getAsset } from '../../../../../base/pages/assets.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { ProfileProblem } from '../../../../../work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import type { StoredProfile } from '../../../../../work/relay/profiles/profiles.ts';
import { csrfField } from '../../csrf.ts';
import { notice, textField, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import { PARTIES, PARTIES_HELP } from './parties.ts';

export interface Editor {
	/** The name of the profile that is changed; empty for a new one. */
	readonly name: string;
	/** The version that the author began to edit, by which a change that somebody else made meanwhile is noticed. */
	readonly version: number;
	readonly text: string;
	readonly example?: string;
	readonly problems?: readonly ProfileProblem[];
	/**
	 * The profile as somebody else has saved it in the meantime; null if they have removed it, absent if they have not
	 * changed it.
	 */
	readonly changed?: StoredProfile | null;
	/** The result of a trial on the example. */
	readonly trial?: Html;
	/** The reason why the profile was not saved, if it is neither in `problems` nor a change by somebody else. */
	readonly refusal?: string;
}

export function editorPage(call: PortalCall, editor: Editor): PortalAnswer {
	const { parties: words } = call.texts.cards;
	const { name, version, problems = [], changed, refusal } = editor;
	const isFailed = problems.length > 0 || changed !== undefined || refusal !== undefined;
	const save = changed === undefined ? words.save : words.saveOver;
	// Text and example are written back with masked card numbers, because an example may come from a real system.
	const body = html`${refusal !== undefined && notice('bad', refusal)}${changed !== undefined && changedPart(call, changed)}
${problems.length > 0 && problemList(call, problems)}
<form method="post" action="${PARTIES}/profiles/save" id="editor">${csrfField(call)}
<input type="hidden" name="name" value="${name}"><input type="hidden" name="version" value="${changed === undefined ? version : (changed?.version ?? 0)}">
${textField({
	...{ name: 'text', label: words.text, hint: words.textHint, value: maskCardNumbers(editor.text), rows: 18 },
	problem: problems.length > 0 ? words.unusable : undefined,
})}
${textField({ name: 'example', label: words.example, hint: words.exampleHint, value: maskCardNumbers(editor.example ?? ''), rows: 10 })}
<p class="actions"><button class="plain" formaction="${PARTIES}/profiles/try" id="try" hx-post="${PARTIES}/profiles/try" hx-target="#trial" hx-swap="outerHTML" hx-nonce="${call.nonce}">${words.tryIt}</button>
<button>${save}</button>
${name !== '' && html`<a class="button plain" href="${PARTIES}/profiles/${name}/remove">${words.remove}</a>`}</p></form>
${editor.trial ?? emptyTrial()}`;
	const title = name === '' ? words.newProfile : `${words.profile} ${name}`;
	const style = TRIAL_STYLE;
	const status = isFailed ? 409 : 200;
	return {
		page: {
			title,
			section: 'parties',
			body,
			help: PARTIES_HELP,
			isLive: true,
			style,
			scripts: [getAsset('portal-editor.js')],
		},
		status: changed === undefined && isFailed ? 400 : status,
	};
}

export const emptyTrial = () => html`<section id="trial" aria-live="polite"></section>`;

const TRIAL_STYLE = `
#trial mark { color: var(--on-accent); background: var(--accent); border-radius: 3px; padding: 0 0.125rem; }
#trial mark small { color: inherit; opacity: 0.9; }
.lines { white-space: pre-line; }
#editor textarea { font-size: 0.9375rem; white-space: pre; overflow-wrap: normal; overflow-x: auto; }
`;

function changedPart(call: PortalCall, changed: StoredProfile | null): Html {
	const { parties: words } = call.texts.cards;
	if (changed === null) return notice('bad', words.removedMeanwhile);
	const said = fillText(words.changedMeanwhile, { version: changed.version });
	return html`${notice('bad', html`${said} ${time(changed.updatedAt, call.language)}`)}
<h2>${words.theirs}</h2><pre tabindex="0" id="theirs">${profileYaml(changed.profile)}</pre><h2>${words.mine}</h2>`;
}

function problemList(call: PortalCall, problems: readonly ProfileProblem[]): Html {
	const { parties: words } = call.texts.cards;
	const item = ({ line, column, pointer, rule }: ProfileProblem) =>
		html`<li><a href="#text" data-line="${line}" data-column="${column}">${fillText(words.place, { line, column })}</a>${pointer !== '' && html` <code>${pointer}</code>`}: ${rule}</li>
`;
	return html`<div class="notice bad" role="alert"><p>${words.unusable}</p><ul id="problems">${problems.map(item)}</ul></div>`;
}
