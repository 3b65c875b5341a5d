// Forcing a breaker open, disabling and resetting it, where the application allows that.
import * as format from './format.js';

const kQuestions = {
  FORCE_OPEN: 'Reject every call of',
  DISABLE: 'Admit every call, and stop protecting,',
  RESET: 'Close, and forget the window of,',
};

/** `selected`: gives the breaker that they act on. */
export function connectControls(selected) {
  const element = (id) => document.getElementById(id);
  const tell = (text) => element('control-result').replaceChildren(text);

  async function control(action, {target, name}) {
    const response = await fetch('control', {
      method: 'POST',
      headers: {'Content-Type': 'application/json', Authorization: `Bearer ${element('token').value}`},
      body: JSON.stringify({target, name, action}),
    });
    if (!response.ok) return tell(`Refused: ${await response.text()}`);
    tell(`Done: ${name} is ${format.stateName((await response.json()).state)}.`);
  }

  element('control-form').addEventListener('submit', (event) => event.preventDefault());
  for (const button of document.querySelectorAll('[data-control]')) {
    const action = button.dataset.control;
    button.addEventListener('click', () => {
      const breaker = selected();
      if (!breaker || !confirm(`${kQuestions[action]} ${breaker.name}?`)) return;
      control(action, breaker).catch(() => tell('No answer.'));
    });
  }
}
