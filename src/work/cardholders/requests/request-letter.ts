import type { Mail } from '../../../base/mail/mail.ts';
import { textsOf } from '../../../base/pages/languages/index.ts';
import type { CardRequest } from './card-request.ts';
import { letterMail } from './mail-letter.ts';
import type { MailStyle } from './mail-style.ts';
import { shownTime } from './shown-time.ts';

/** Returns the mail that asks a cardholder for a card or a CVV, or reminds them. The request must have a mail address. */
export function requestMail(
	request: CardRequest,
	{
		style,
		from,
		isReminder = false,
	}: { readonly style: MailStyle; readonly from: string; readonly isReminder?: boolean },
): Mail {
	const { language, senderId, recipient, kind, url } = request;
	const texts = textsOf(language).mail;
	const isCvv = kind === 'cvv';
	const subject = isCvv ? texts.requestCvvSubject : texts.requestSubject;
	return letterMail(
		{ to: { name: recipient.name, address: recipient.email! }, senderId, style, from, language },
		{
			subject: isReminder ? texts.reminderSubject : subject,
			before: [isReminder ? texts.reminderText : isCvv ? texts.requestCvvText : texts.requestText],
			button: { label: isCvv ? texts.requestCvvButton : texts.requestButton, url },
			after: [texts.expires, texts.never, texts.unexpected],
		},
		{ number: `…${request.lastDigits ?? ''}`, time: shownTime(request.expiresAt, language) },
	);
}
