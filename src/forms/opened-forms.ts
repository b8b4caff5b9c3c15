import type { FormRow } from './form-store.ts';

/** The options of all remembered forms may have this many characters together. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** Each form counts as this many characters more than its options have, for everything else that it holds. */
const FORM_CHARACTERS = 512;

/**
 * Remembers the forms that this daemon opened and that nobody has submitted yet. Most forms are submitted to the daemon
 * that opened them, and then their rows need not be read, nor their seals checked. The oldest forms are forgotten first.
 *
 * A remembered form may have been submitted to another daemon meanwhile: only the transaction that stores its card tells.
 */
export class OpenedForms {
	readonly #forms = new Map<string, FormRow>();
	readonly #mostCharacters: number;
	#characters = 0;

	constructor(mostCharacters = MOST_CHARACTERS) {
		this.#mostCharacters = mostCharacters;
	}

	get size(): number {
		return this.#forms.size;
	}

	remember(form: FormRow, nowMs: number): void {
		this.#forms.set(form.hash, form);
		this.#characters += charactersOf(form);
		for (const [hash, { expires_at }] of this.#forms) {
			if (expires_at > nowMs && this.#characters <= this.#mostCharacters) return;
			this.forget(hash);
		}
	}

	find(hash: string): FormRow | undefined {
		return this.#forms.get(hash);
	}

	forget(hash: string): void {
		const form = this.#forms.get(hash);
		if (form === undefined) return;
		this.#forms.delete(hash);
		this.#characters -= charactersOf(form);
	}
}

function charactersOf({ options }: FormRow): number {
	return options.length + FORM_CHARACTERS;
}
