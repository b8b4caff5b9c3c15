import test from 'ava';
import { type Mail, MailRefusedError, type MailServer, openMail } from '../../src/base/mail/mail.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { startMailServer } from '../helpers/mail-server.ts';

const MAIL: Mail = {
	to: { name: 'Zoë "Z" <Müller>', address: 'guest@example.com' },
	from: { name: 'Hôtel', address: 'cards@hotel.example' },
	replyTo: { address: 'desk@hotel.example' },
	subject: 'Ihre Buchung\r\nBcc: everybody@example.com',
	text: 'Grüße\n',
	html: '<p>Grüße</p>',
	language: 'de',
};

const clear = ({ host, port }: { host: string; port: number }): MailServer => {
	return { host, port, tls: 'none', user: undefined, password: undefined };
};

test('a mail arrives as text and HTML, with its headers, and a subject cannot bring in a header', async (t) => {
	const server = await startMailServer(t);
	const mail = openMail(clear(server));
	t.teardown(() => mail.close());
	await mail.send(MAIL, '01kjpz8q4y6t3wxa7n5c2dme9r');
	const got = await server.wait(1);
	t.deepEqual(got.to, ['guest@example.com']);
	t.is(got.from, 'cards@hotel.example');
	t.is(got.text.trim(), 'Grüße');
	t.is(got.html.trim(), '<p>Grüße</p>');
	t.like(got.headers, {
		'message-id': '<01kjpz8q4y6t3wxa7n5c2dme9r@hotel.example>',
		'reply-to': 'desk@hotel.example',
		'auto-submitted': 'auto-generated',
		'content-language': 'de',
	});
	t.false('bcc' in got.headers);
});

test('a login is made where the settings have one, and a wrong password may be tried again', async (t) => {
	const server = await startMailServer(t, {
		authOptional: false,
		allowInsecureAuth: true,
		onAuth: ({ username, password }, _session, done) =>
			username === 'us' && password === 'right' ? done(null, { user: username }) : done(new Error('no')),
	});
	const login = (password: string) => {
		const mail = openMail({ ...clear(server), user: 'us', password: new Secret(password) });
		t.teardown(() => mail.close());
		return mail;
	};
	await login('right').send(MAIL, 'a');
	t.is(server.received.length, 1);
	const error = await t.throwsAsync(login('wrong').send(MAIL, 'b'));
	t.false(error instanceof MailRefusedError);
	t.false(error?.message.includes('wrong'));
});

test('a mailbox that does not exist is refused for good, one that is full may be tried again', async (t) => {
	const server = await startMailServer(t);
	const mail = openMail(clear(server));
	t.teardown(() => mail.close());
	server.refuse(550);
	const error = await t.throwsAsync(mail.send(MAIL, 'a'), { instanceOf: MailRefusedError });
	t.false(error?.message.includes('guest@example.com'), 'the text does not repeat the mailbox');
	server.refuse(452);
	t.false((await t.throwsAsync(mail.send(MAIL, 'b'))) instanceof MailRefusedError);
	server.refuse(undefined);
	await mail.send(MAIL, 'c');
	t.is(server.received.length, 1);
});

test('with starttls nothing is sent in clear to a server that offers no encryption', async (t) => {
	const server = await startMailServer(t);
	const mail = openMail({ ...clear(server), tls: 'starttls' });
	t.teardown(() => mail.close());
	t.false((await t.throwsAsync(mail.send(MAIL, 'a'))) instanceof MailRefusedError);
	t.is(server.received.length, 0);
});

test('with starttls a certificate that nobody knows is refused', async (t) => {
	const server = await startMailServer(t, { hideSTARTTLS: false });
	const mail = openMail({ ...clear(server), tls: 'starttls' });
	t.teardown(() => mail.close());
	await t.throwsAsync(mail.send(MAIL, 'a'));
	t.is(server.received.length, 0);
});

test('no server at all may be tried again', async (t) => {
	const server = await startMailServer(t);
	await server.close();
	const mail = openMail(clear(server));
	t.teardown(() => mail.close());
	t.false((await t.throwsAsync(mail.send(MAIL, 'a'))) instanceof MailRefusedError);
});
