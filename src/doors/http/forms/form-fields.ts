// Writes the fields of a form. Every field works without a script; the script only helps while somebody types.

import { brandLabel, CARD_TYPES, type CardType } from '../../../base/card/brand.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Texts } from '../../../base/pages/languages/index.ts';
import type { CardFormOptions } from '../../../work/cardholders/forms/form-options.ts';
import type { FieldName, TypedFields } from '../../../work/cardholders/forms/judge-fields.ts';

/** The content of a form's fields: the values that were typed before, and the error messages. */
export interface FieldState {
	readonly texts: Texts;
	/** The typed values. Neither a card number nor a CVV is ever written into a page. */
	readonly typed: Omit<TypedFields, 'cardNumber' | 'cvv'>;
	readonly problems: Partial<Record<FieldName, string>>;
}

interface Input {
	readonly name: FieldName;
	readonly label: string;
	readonly autocomplete: string;
	readonly isRequired: boolean;
	/** True for digits: phones show a keyboard with digits only, and the text runs from left to right everywhere. */
	readonly isDigits?: boolean;
	readonly placeholder?: string;
	readonly hint?: string;
	readonly beside?: Html;
}

export function cardFields(options: Omit<CardFormOptions, 'view'>, state: FieldState): Html {
	const { form } = state.texts;
	const { cvv, detectsType, asksOwnerId, checksName } = options;
	return html`${input(state, {
		name: 'cardNumber',
		label: form.cardNumber,
		autocomplete: 'cc-number',
		isRequired: true,
		isDigits: true,
		beside: html`<span class="brand" id="brand" aria-live="polite"></span>`,
	})}<fieldset class="field choice" id="brand-choice" hidden><legend>${form.chooseBrand}</legend><div id="brand-choices"></div></fieldset>
${!detectsType && typeField(options, state)}<div class="pair">${input(state, {
		name: 'expiry',
		label: form.expiry,
		autocomplete: 'cc-exp',
		isRequired: true,
		isDigits: true,
		placeholder: form.expiryFormat,
	})}${cvv !== 'absent' && cvvField(state, cvv === 'required')}</div>
${input(state, { name: 'nameOnCard', label: form.nameOnCard, autocomplete: 'cc-name', isRequired: checksName })}${
	asksOwnerId && input(state, { name: 'ownerId', label: form.ownerId, autocomplete: 'off', isRequired: false })
}`;
}

/** Returns the field of a CVV. The hint says where the card of a brand has it; on most cards it is on the back. */
export function cvvField(state: FieldState, isRequired: boolean, brand?: CardType): Html {
	const { form } = state.texts;
	return input(state, {
		name: 'cvv',
		label: form.cvv,
		autocomplete: 'cc-csc',
		isRequired,
		isDigits: true,
		hint: brand === 'AMEX' ? form.cvvFront : form.cvvBack,
	});
}

function input({ texts, typed, problems }: FieldState, field: Input): Html {
	const { name, label, autocomplete, isRequired, isDigits, placeholder, hint, beside } = field;
	const problem = problems[name];
	const value = name === 'cardNumber' || name === 'cvv' ? '' : (typed[name] ?? '');
	const described = [hint === undefined ? '' : `${name}-hint`, `${name}-problem`].join(' ').trim();
	return html`<div class="field" id="${name}-field"><label for="${name}">${label}${
		!isRequired && html` <span class="optional">(${texts.form.optional})</span>`
	}</label>
<div class="entry"><input id="${name}" name="${name}" type="text" value="${value}" autocomplete="${autocomplete}" autocapitalize="${
		isDigits ? 'none' : 'words'
	}" spellcheck="false" aria-describedby="${described}" aria-invalid="${problem === undefined ? 'false' : 'true'}"${
		isRequired && html` aria-required="true"`
	}${isDigits && html` inputmode="numeric" dir="ltr" class="digits"`}${
		placeholder !== undefined && html` placeholder="${placeholder}"`
	}>${beside}</div>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}<p class="problem" id="${name}-problem" aria-live="polite">${problem}</p></div>
`;
}

function typeField(
	{ types, defaultType }: Omit<CardFormOptions, 'view'>,
	{ texts, typed, problems }: FieldState,
): Html {
	const offered: readonly CardType[] = types ?? CARD_TYPES.slice(1);
	const chosen = typed.cardType || defaultType;
	const items = offered.map(
		(type) => html`<option value="${type}"${type === chosen && html` selected`}>${brandLabel(type)}</option>`,
	);
	const problem = problems.cardType;
	return html`<div class="field" id="cardType-field"><label for="cardType">${texts.form.cardType}</label>
<select id="cardType" name="cardType" autocomplete="cc-type" aria-describedby="cardType-problem" aria-required="true" aria-invalid="${
		problem === undefined ? 'false' : 'true'
	}"><option value="">${texts.form.chooseCardType}</option>${items}</select>
<p class="problem" id="cardType-problem" aria-live="polite">${problem}</p></div>
`;
}
