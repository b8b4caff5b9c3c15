// Makes tokens of SoftHSM 2, an HSM in software that Debian has, with a key that cannot be taken out.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOFTHSM } from '../programs.ts';
import type { Releasing } from './services.ts';

export interface SoftToken {
	/** Where the token is, without the file with the PIN. */
	readonly place: { readonly library: string; readonly tokenLabel: string; readonly keyLabel: string };
	readonly pin: string;
	/** The file with the PIN. */
	readonly pinFile: string;
	/** Makes a further key, which may be one that may not decrypt. */
	makeKey(label: string, mayDecrypt?: boolean): void;
	/** Destroys a key. */
	destroyKey(label: string): void;
	/** Takes the token away, as somebody does who pulls it out. */
	pullOut(): void;
	putBack(): void;
}

/** The folder of all tokens of this process. Its configuration stands in the environment, where the library looks for it. */
let folder: string | undefined;
let count = 0;

export function makeSoftToken(t: Releasing): SoftToken {
	const root = (folder ??= makeFolder());
	const tokenLabel = `token ${process.pid}-${++count}`;
	const pin = '4711';
	const given = ['--init-token', '--free', '--label', tokenLabel, '--pin', pin, '--so-pin', '0815'];
	const before = readdirSync(join(root, 'tokens'));
	execFileSync('softhsm2-util', given, { stdio: 'ignore' });
	// SoftHSM keeps each token in a folder.
	const name = readdirSync(join(root, 'tokens')).find((each) => !before.includes(each))!;
	const move = (token: string, from: string, to: string) => {
		if (existsSync(join(root, from, token))) renameSync(join(root, from, token), join(root, to, token));
	};
	const pinFile = join(root, `pin-${count}`);
	writeFileSync(pinFile, `${pin}\n`, { mode: 0o600 });
	t.teardown(() => {
		token.putBack();
		execFileSync('softhsm2-util', ['--delete-token', '--token', tokenLabel], { stdio: 'ignore' });
	});
	const token: SoftToken = {
		place: { library: SOFTHSM, tokenLabel, keyLabel: 'master key' },
		...{ pin, pinFile },
		makeKey: (label, mayDecrypt = true) =>
			inToken(
				tokenLabel,
				pin,
				`
				const bytes = Buffer.alloc(8); bytes.writeUInt32LE(32);
				p.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, [
					{ type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY }, { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_AES },
					{ type: pkcs11.CKA_LABEL, value: ${JSON.stringify(label)} }, { type: pkcs11.CKA_VALUE_LEN, value: 32 },
					{ type: pkcs11.CKA_TOKEN, value: true }, { type: pkcs11.CKA_SENSITIVE, value: true },
					{ type: pkcs11.CKA_EXTRACTABLE, value: false }, { type: pkcs11.CKA_ENCRYPT, value: true },
					{ type: pkcs11.CKA_DECRYPT, value: ${mayDecrypt} }]);`,
			),
		destroyKey: (label) =>
			inToken(
				tokenLabel,
				pin,
				`
				p.C_FindObjectsInit(session, [{ type: pkcs11.CKA_LABEL, value: ${JSON.stringify(label)} }]);
				const found = p.C_FindObjects(session, 1);
				p.C_FindObjectsFinal(session);
				p.C_DestroyObject(session, found[0]);`,
			),
		pullOut: () => move(name, 'tokens', 'away'),
		putBack: () => move(name, 'away', 'tokens'),
	};
	token.makeKey(token.place.keyLabel);
	return token;
}

function makeFolder(): string {
	const root = mkdtempSync(join(tmpdir(), 'tokendrop-softhsm-'));
	for (const name of ['tokens', 'away']) mkdirSync(join(root, name));
	process.env.SOFTHSM2_CONF = join(root, 'softhsm2.conf');
	writeFileSync(join(root, 'softhsm2.conf'), `directories.tokendir = ${join(root, 'tokens')}\nlog.level = ERROR\n`);
	process.once('exit', () => rmSync(root, { recursive: true, force: true }));
	return root;
}

/** Runs code with an open session of the token, in a process of its own as the product does. */
function inToken(label: string, pin: string, code: string): void {
	const program = `
		const pkcs11 = require('pkcs11js');
		const p = new pkcs11.PKCS11();
		p.load(${JSON.stringify(SOFTHSM)});
		p.C_Initialize();
		// A token that another process changes at this moment cannot be read.
		const labelOf = (slot) => { try { return p.C_GetTokenInfo(slot).label.trim(); } catch {} };
		const slot = p.C_GetSlotList(true).find((each) => labelOf(each) === ${JSON.stringify(label)});
		const session = p.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION);
		p.C_Login(session, pkcs11.CKU_USER, ${JSON.stringify(pin)});
		${code}`;
	execFileSync(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit'] });
}
