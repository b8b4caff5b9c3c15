// @ts-check
// Makes a passkey, or uses one, and sends what the authenticator answered with a form.

import { onShown, pageData } from './portal-shown.js';

/** @param {string} text in base64url */
const bytesOf = (text) =>
	Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** @param {ArrayBuffer | null} buffer */
const textOf = (buffer) =>
	btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer(0))))
		.replaceAll('+', '-')
		.replaceAll('/', '_')
		.replaceAll('=', '');

/** @param {{ id: string }[]} list */
const known = (list = []) =>
	list.map((each) => ({ ...each, type: /** @type {const} */ ('public-key'), id: bytesOf(each.id) }));

/** @param {any} creation */
async function create(creation) {
	const made = /** @type {PublicKeyCredential} */ (
		await navigator.credentials.create({
			publicKey: {
				...creation,
				challenge: bytesOf(creation.challenge),
				user: { ...creation.user, id: bytesOf(creation.user.id) },
				excludeCredentials: known(creation.excludeCredentials),
			},
		})
	);
	const response = /** @type {AuthenticatorAttestationResponse} */ (made.response);
	return {
		...answerOf(made),
		response: {
			clientDataJSON: textOf(response.clientDataJSON),
			attestationObject: textOf(response.attestationObject),
			transports: response.getTransports(),
		},
	};
}

/** @param {any} request */
async function use(request) {
	const used = /** @type {PublicKeyCredential} */ (
		await navigator.credentials.get({
			publicKey: {
				...request,
				challenge: bytesOf(request.challenge),
				allowCredentials: known(request.allowCredentials),
			},
		})
	);
	const response = /** @type {AuthenticatorAssertionResponse} */ (used.response);
	return {
		...answerOf(used),
		response: {
			clientDataJSON: textOf(response.clientDataJSON),
			authenticatorData: textOf(response.authenticatorData),
			signature: textOf(response.signature),
			userHandle: response.userHandle ? textOf(response.userHandle) : undefined,
		},
	};
}

/** @param {PublicKeyCredential} credential */
const answerOf = ({ id, rawId, type }) => ({ id, rawId: textOf(rawId), type, clientExtensionResults: {} });

onShown(() => {
	const form = document.getElementById('passkey');
	if (!(form instanceof HTMLFormElement) || !window.PublicKeyCredential) return;
	const data = pageData();
	const button = form.querySelector('button');
	const problem = form.querySelector('.problem[role=alert]');
	form.hidden = false;
	const go = async () => {
		if (!form.reportValidity()) return;
		if (problem) problem.textContent = '';
		try {
			const answer = await (data.creation ? create(data.creation) : use(data.request));
			const field = form.elements.namedItem('answer');
			if (field instanceof HTMLInputElement) field.value = JSON.stringify(answer);
			form.dataset.answered = '';
			form.requestSubmit();
		} catch {
			if (problem) problem.textContent = form.dataset.failed ?? '';
		}
	};
	button?.addEventListener('click', go);
	// Enter in the field does what the button does.
	form.addEventListener('submit', (event) => {
		if (form.dataset.answered !== undefined) return;
		event.preventDefault();
		go();
	});
});
