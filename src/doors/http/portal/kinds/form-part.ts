// Declares forms: their fields, and the button that sends them. A form that was refused is shown again with what was
// typed and with what is wrong.

import { maskCardNumbers } from '../../../../base/log/card-numbers.ts';
import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import { choiceField, type FieldParts, field, form, joined, notice, textField, tickField } from '../pieces.ts';
import type { OpenCall, PortalCall } from '../portal-page.ts';
import type { Refusal } from '../refusals.ts';
import type { TextKey } from '../texts.ts';
import { type Said, saidBy } from './group.ts';

/** The values that can be chosen, each with its label. */
export type Choices = readonly (readonly [value: string, label: string])[];

/** Returns the choices of a filter: everything, or one of some names. */
export function allOr<Name extends string>(
	all: string,
	names: readonly Name[],
	labelOf: (name: Name) => string,
): Choices {
	return [['', all], ...names.map((name) => [name, labelOf(name)] as const)];
}

/** A field of a form about a thing. It is a line of text unless it has choices, rows or a tick. */
export interface Field<Thing, Call extends OpenCall = PortalCall>
	extends Pick<FieldParts, 'name' | 'type' | 'maxLength' | 'isRequired' | 'autocomplete'> {
	readonly label: Said<[call: Call]>;
	/** The name by which an error calls the field, if that is another one. */
	readonly errorName?: string;
	readonly hint?: Said<[thing: Thing, call: Call]>;
	/** The value before anything was typed. */
	readonly value?: (thing: Thing, call: Call) => string | undefined;
	readonly choices?: (thing: Thing, call: Call) => Choices;
	/** The number of lines of a field of several lines. */
	readonly rows?: number;
	/** Makes the field a checkbox. */
	readonly isTicked?: (thing: Thing, call: Call) => boolean;
	/** The value that a checkbox sends; `yes` unless given. */
	readonly sends?: string;
	/** True if what was typed is never written back, as it is for passwords. */
	readonly isSecret?: boolean;
	readonly isShown?: (thing: Thing, call: Call) => boolean;
	/** The heading under which the field stands, together with those beside it that have the same one. */
	readonly group?: TextKey;
}

/** A form about a thing, on pages for people who are signed in unless `Call` says otherwise. */
export interface FormKind<Thing, Call extends OpenCall = PortalCall> {
	/** A sentence above the button: what it does. */
	readonly text?: Said<[call: Call]>;
	readonly fields?: readonly Field<Thing, Call>[] | ((thing: Thing) => readonly Field<Thing, Call>[]);
	/** Returns fields that are not declared, before those that are. */
	readonly more?: (thing: Thing, call: Call, refusal: Refusal | undefined) => Html;
	readonly submit: Said<[thing: Thing, call: Call]>;
	readonly tone?: 'plain' | 'danger';
	/** Another button, which sends the same fields and this value as `act`. */
	readonly also?: { readonly value: string; readonly label: TextKey };
}

/** Values that a form sends besides its fields. Those that are undefined are not sent. */
export type Hidden = Readonly<Record<string, string | number | undefined>>;

export interface PlacedForm {
	readonly action: string;
	readonly hidden?: Hidden;
	/** What is wrong with the form that was sent. */
	readonly refusal?: Refusal;
}

export function formPart<Thing, Call extends OpenCall>(
	call: Call,
	kind: FormKind<Thing, Call>,
	thing: Thing,
	placed: PlacedForm,
): Html {
	const { text, more, submit, tone, also } = kind;
	const { action, hidden = {}, refusal } = placed;
	const shown = fieldsOf(kind, thing).filter(({ isShown }) => isShown?.(thing, call) ?? true);
	const body: HtmlValue[] = [
		hiddenFields(hidden),
		text !== undefined && html`<p>${saidBy(call, text, call)}</p>`,
		more?.(thing, call, refusal),
		...groupsOf(shown).map(([group, fields]) => {
			const parts = fields.map((each) => fieldPart(call, each, thing, refusal));
			return group === undefined ? parts : html`<fieldset><legend>${call.say(group)}</legend>${parts}</fieldset>\n`;
		}),
		also && html`<button name="act" value="${also.value}" class="plain">${call.say(also.label)}</button> `,
	];
	return form(call, { action, body, submit: saidBy(call, submit, thing, call), tone });
}

export function hiddenFields(values: Hidden): HtmlValue[] {
	return Object.entries(values).map(
		([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
	);
}

/** Returns fields by their headings, in their order. */
function groupsOf<Each extends { readonly group?: TextKey }>(fields: readonly Each[]): [TextKey | undefined, Each[]][] {
	const groups: [TextKey | undefined, Each[]][] = [];
	for (const field of fields) {
		const last = groups.at(-1);
		if (last && last[0] === field.group) last[1].push(field);
		else groups.push([field.group, [field]]);
	}
	return groups;
}

function fieldsOf<Thing, Call extends OpenCall>(
	{ fields = [] }: Pick<FormKind<Thing, Call>, 'fields'>,
	thing: Thing,
): readonly Field<Thing, Call>[] {
	return typeof fields === 'function' ? fields(thing) : fields;
}

/** Returns what is wrong with a form that was refused but with none of its fields, for the top of the page. */
export function refusalNotice<Thing>(kind: Pick<FormKind<Thing>, 'fields' | 'more'>, thing: Thing, refusal: Refusal) {
	const names = fieldsOf(kind, thing).map(({ name, errorName = name }) => errorName);
	const rest = Object.entries(refusal).filter(([field]) => !names.includes(field));
	// A button alone has no fields, so the name of one would tell nobody anything.
	const isButton = names.length === 0 && !kind.more;
	const texts = rest.map(([field, text]) => (field === '' || isButton ? text : html`${field}: ${text}`));
	return texts.length > 0 && notice('bad', joined(texts));
}

function fieldPart<Thing, Call extends OpenCall>(
	call: Call,
	kind: Field<Thing, Call>,
	thing: Thing,
	refusal: Refusal | undefined,
): Html {
	const { name, label, hint, choices, rows, isTicked, sends, errorName = name, isSecret, ...more } = kind;
	const { isShown: _, group: __, ...plain } = more;
	const typed = refusal ? call.form[name] : undefined;
	const options = choices?.(thing, call);
	// What is not among the choices cannot be shown again, and a card number is masked, because no page repeats one.
	const isKept = !(isSecret ?? plain.type === 'password') && (options?.some(([value]) => value === typed) ?? true);
	const parts = {
		...plain,
		name,
		label: saidBy(call, label, call),
		hint: hint === undefined ? undefined : saidBy(call, hint, thing, call),
		problem: refusal?.[errorName],
		value: isKept && typed !== undefined ? maskCardNumbers(typed) : kind.value?.(thing, call),
	};
	if (isTicked) return tickField({ ...parts, value: sends }, refusal ? typed !== undefined : isTicked(thing, call));
	if (options) return choiceField({ ...parts, options });
	return rows === undefined ? field(parts) : textField({ ...parts, rows });
}
