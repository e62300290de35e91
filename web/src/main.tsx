/** Starts the page. */
import { render } from 'preact';
import { App } from './app';
import { keepKeys } from './bar/keys';
import { keepChoices } from './state/choose';
import { keepFollowing } from './state/live';
import { keepLoading } from './state/load';
import { recallSizes } from './state/sizes';
import { followAddress } from './state/store';
import { followTensorBoard } from './state/tensorboard';
import { keepTheme } from './state/theme';
import { keepTitle } from './state/title';
import './style/tokens.css';
import './style/page.css';

followTensorBoard();
keepTheme();
recallSizes();
followAddress();
keepLoading();
keepFollowing();
keepChoices();
keepTitle();
keepKeys();
const root = document.getElementById('page');
if (root) render(<App />, root);
