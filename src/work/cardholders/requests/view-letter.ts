import type { Mail } from '../../../base/mail/mail.ts';
import { textsOf } from '../../../base/pages/languages/index.ts';
import { type LetterHead, letterMail } from './mail-letter.ts';
import { shownTime } from './shown-time.ts';

/** Returns the mail with the link to a card. */
export function viewMail(
	head: LetterHead,
	{ url, expiresAt }: { readonly url: string; readonly expiresAt: Date },
): Mail {
	const texts = textsOf(head.language).mail;
	return letterMail(
		head,
		{
			subject: texts.viewSubject,
			before: [texts.viewText],
			button: { label: texts.viewButton, url },
			after: [texts.expires, texts.unexpected],
		},
		{ time: shownTime(expiresAt, head.language) },
	);
}

/** Returns the mail with the code of a link. The link is in another mail, so that neither of them alone shows the card. */
export function codeMail(head: LetterHead, code: string): Mail {
	const texts = textsOf(head.language).mail;
	return letterMail(
		head,
		{ subject: texts.codeSubject, before: [texts.codeText], after: [texts.unexpected] },
		{ code },
	);
}
