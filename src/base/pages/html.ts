// Writes HTML. Every value that is put into a template is escaped, so that no text can become markup.

const ESCAPES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
	'`': '&#96;',
};

/** The values that a template accepts. Nothing is written for null, undefined and false. */
export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** A piece of markup. Only the template tag `html` creates one. */
export class Html {
	readonly #text: string;

	private constructor(text: string) {
		this.#text = text;
	}

	/** Joins the constant parts of a template with its escaped values. */
	static join(parts: TemplateStringsArray, values: readonly HtmlValue[]): Html {
		if (!Object.isFrozen(parts) || !Array.isArray(parts.raw)) throw new Error('internal error: markup from a text');
		return new Html(
			parts.map((part, index) => part + (index < values.length ? Html.#written(values[index]) : '')).join(''),
		);
	}

	static #written(value: HtmlValue): string {
		if (value instanceof Html) return value.#text;
		if (Array.isArray(value)) return value.map((each) => Html.#written(each)).join('');
		if (value === null || value === undefined || value === false) return '';
		return String(value).replace(/[&<>"'`]/g, (character) => ESCAPES[character]);
	}

	toString(): string {
		return this.#text;
	}
}

/** The template tag for markup: `html\`<p>${text}</p>\``. Values of attributes must be quoted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
	return Html.join(parts, values);
}
