import { languageOf } from '../pages/languages/index.ts';

/** Writes a time for a reader, with its time zone, because nobody knows where the reader is. */
export function shownTime(time: Date, language: string | undefined): string {
	const format = new Intl.DateTimeFormat(languageOf(language), {
		...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
		...{ timeZone: 'UTC', timeZoneName: 'short' },
	});
	return format.format(time);
}
