// The types of card-rules.js, as far as the scripts of pages use them. src/work/cardholders/forms/judge-fields.ts has those of the source.

export type CardType = string;

/** What is wrong, as the name of an error message, by field. */
export type FieldProblems = Record<string, string>;

export interface FieldRules {
	readonly cvv: 'required' | 'optional' | 'absent';
	readonly detectsType: boolean;
	readonly defaultType?: CardType;
	readonly types?: readonly CardType[];
	readonly minExpiry?: number;
	readonly asksOwnerId: boolean;
	readonly checksName: boolean;
}

export function asciiDigits(text: string): string;
export function brandLabel(type: CardType): string;
export function choicesOf(digits: string, brand: CardType): readonly CardType[];
export function coBadgesOf(digits: string): readonly CardType[];
export function longestOf(brand: CardType): number;
export function typedBrandOf(digits: string): CardType;
export function judgeFields(
	typed: Readonly<Record<string, string>>,
	rules: FieldRules,
	month: number,
): {
	readonly problems: FieldProblems;
	readonly digits: string;
	readonly brand: number;
	readonly type: number;
	readonly expiry: number;
	readonly cvv: string;
};
export function judgeStoredCvv(text: string, brand: number): { readonly digits: string; readonly problem?: string };
