// Reads the parameters of a form (shapes §5).

import type { Static } from '@sinclair/typebox';
import { CARD_TYPES, type CardType } from '../../../base/card/brand.ts';
import { type Expiry, expiryOf, monthOf, readExpiry } from '../../../base/card/expiry.ts';
import { findCardType } from '../../../base/card/names/brand-names.ts';
import { badInput } from '../../../base/errors.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { CardFormOptions, FormView } from '../../../work/cardholders/forms/form-options.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import type { CallRequest } from '../calls/call.ts';
import { findElimination, findFlag, findReferenceValue } from '../input/query-values.ts';
import { checkAddress, checkMessageOrigin } from './addresses.ts';
import type { CARD_FORM_QUERY, CVV_FORM_QUERY } from './form-schema.ts';
import { readableLanguage } from './language.ts';

type CardQuery = Static<typeof CARD_FORM_QUERY>;
type ViewQuery = Omit<Static<typeof CVV_FORM_QUERY>, 'cardUri'>;

const FORM_NONCE = /^[\w-]{1,64}$/;
/**
 * A style sheet in a parameter may have at most this many characters, because it is part of a URL and the length of
 * URLs is limited. Style sheets that the operator stores for an account may be longer.
 */
const MAX_CSS_CHARACTERS = 8_192;

/**
 * Reads the parameters for the look of the page and for its exchange of messages with the page around it.
 * @throws ServiceError about the first parameter that is not valid
 */
export async function readView(
	{ query, principal, headers }: Pick<CallRequest<unknown, ViewQuery>, 'query' | 'principal' | 'headers'>,
	parts: { identity: Identity },
): Promise<FormView> {
	const { css, brand, formNonce } = query;
	if (css && css.length > MAX_CSS_CHARACTERS) throw badInput('css', `longer than ${MAX_CSS_CHARACTERS} characters`);
	if (formNonce && !FORM_NONCE.test(formNonce)) {
		throw badInput('formNonce', 'expected up to 64 letters, digits, hyphens and underscores');
	}
	const hasNoButton = findFlag('submitWithPostMessage', query.submitWithPostMessage) ?? false;
	const messageOrigin = await checkMessageOrigin(query.postMessageHost, principal, parts);
	if (hasNoButton && messageOrigin === undefined) {
		throw badInput('postMessageHost', 'is required with submitWithPostMessage');
	}
	return {
		language: readableLanguage(query.language, headers['accept-language']),
		brand: brand || undefined,
		css: css || undefined,
		removesBaseCss: findFlag('removeBaseCss', query.removeBaseCss) ?? false,
		autoFocuses: findFlag('autoFocus', query.autoFocus) ?? false,
		hasNoButton,
		tellsNoProblems: findFlag('useCustomValidation', query.useCustomValidation) ?? false,
		messageOrigin,
		nonce: formNonce || undefined,
		success: await checkAddress('success', query.success, principal, parts),
		failure: await checkAddress('failure', query.failure, principal, parts),
	};
}

/**
 * Reads the parameters that decide which fields a form for a card has, and which cards it accepts.
 * @throws ServiceError about the first parameter that is not valid
 */
export function readCardOptions(
	{ query, principal }: Pick<CallRequest<unknown, CardQuery>, 'query' | 'principal'>,
	now: Date,
): Omit<CardFormOptions, 'view'> {
	const months = query.expirationMonths;
	const least = [readMinExpiry(query.minExpiration), months === undefined ? undefined : monthAfter(now, months)];
	const minExpiry = Math.max(...least.map((each) => each ?? 0));
	return {
		kind: 'card',
		cvv: readCvvRule(query.cvv),
		detectsType: findFlag('autoDetectCardType', query.autoDetectCardType) ?? true,
		defaultType: query.defaultCardType ? readType('defaultCardType', query.defaultCardType) : undefined,
		types: query.cardTypes ? readTypes(query.cardTypes) : undefined,
		minExpiry: minExpiry === 0 ? undefined : minExpiry,
		asksOwnerId: findFlag('showOwnerId', query.showOwnerId) ?? false,
		checksName: findFlag('nameOnCardValidation', query.nameOnCardValidation) ?? true,
		reference: findReferenceValue('creatorReference', query.creatorReference),
		eliminatesDuplicates: findElimination(principal, query.eliminateCardDuplication),
	};
}

/** Reads a list of card types, separated by commas. @throws ServiceError if one is unknown */
export function readTypes(text: string): CardType[] {
	return [...new Set(text.split(',').map((name) => readType('cardTypes', name)))];
}

function readType(field: string, text: string): CardType {
	const index = findCardType(text.trim());
	if (!index) throw badInput(field, `expected one of ${CARD_TYPES.slice(1).join(', ')}`);
	return CARD_TYPES[index];
}

function readCvvRule(text: string | undefined): CardFormOptions['cvv'] {
	if (text?.toLowerCase() === 'optional') return 'optional';
	const isOff = text !== undefined && text !== '' && !/^true$/i.test(text);
	if (isOff && !/^false$/i.test(text)) throw badInput('cvv', 'expected true, optional or false');
	return isOff ? 'absent' : 'required';
}

function readMinExpiry(text: string | undefined): Expiry | undefined {
	if (text === undefined || text === '') return undefined;
	const bytes = Buffer.from(text);
	const expiry = /^[\d/-]{4,7}$/.test(text) ? readExpiry(bytes, 0, bytes.length, undefined, 'strict') : -1;
	if (expiry <= 0) throw badInput('minExpiration', 'expected a month, as in 2030-04, 04/30 or 042030');
	return expiry;
}

function monthAfter(now: Date, months: number): Expiry {
	const index = Math.floor(monthOf(now) / 100) * 12 + (monthOf(now) % 100) - 1 + months;
	return expiryOf((index % 12) + 1, Math.floor(index / 12));
}

/**
 * Checks that the account has the style sheet that the page of a form is to use.
 * @throws ServiceError if the account has no such style sheet
 */
export async function checkBrand(
	brand: string | undefined,
	principal: Pick<Principal, 'accountId' | 'ownerId'>,
	styles: Pick<Styles, 'has'>,
): Promise<void> {
	if (!brand || (await styles.has(principal, brand))) return;
	throw badInput('brand', 'the account has no style of this name');
}
