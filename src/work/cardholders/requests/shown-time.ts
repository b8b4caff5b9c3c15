import { languageOf } from '../../../base/pages/languages/index.ts';

/** Formats a time in UTC with the name of that time zone, because the time zone of the reader is not known. */
export function shownTime(time: Date, language: string | undefined): string {
	const format = new Intl.DateTimeFormat(languageOf(language), {
		year: 'numeric',
		month: 'long',
		day: 'numeric',
		hour: '2-digit',
		minute: '2-digit',
		timeZone: 'UTC',
		timeZoneName: 'short',
	});
	return format.format(time);
}
