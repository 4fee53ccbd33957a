//! A pool for tests, out of SRI's own crates: encryption, messages, channels, jobs, and the verdict on each share are theirs.
//!
//!   sri-pool FLAGS BATCH RATE
//!
//! FLAGS: of SetupConnection.Success. BATCH: accepted shares to an answer. RATE: shares expected in a minute; the target
//! follows from it and the client's hash rate. The pool listens on a free port of this machine, prints that and the
//! authority's key, then a line for each channel, share and end of a connection. A share that solves a block begins the next
//! one, and each fourth share brings a new job. The pool ends with its standard input.

mod work;

use std::{
    env,
    fmt::Debug,
    io::{self, Read, Write},
    net::{TcpListener, TcpStream},
    process, thread,
    time::Duration,
};

use bitcoin::{
    base58,
    secp256k1::{Keypair, Secp256k1, SecretKey},
};
use codec_sv2::{Decrypted, Handshake, MessageFrame, NoiseDecoder, NoiseEncoder, TransportDecryptState, TransportEncryptState};
use common_messages_sv2::SetupConnectionSuccess;
use noise_sv2::{Responder, ELLSWIFT_ENCODING_SIZE};
use parsers_sv2::{AnyMessage, AnyMessageOwned, CommonMessagesOwned, IsSv2Message, MiningOwned};

use work::{Terms, Work};

const VERSION: u16 = 2;
const REQUIRES_FIXED_VERSION: u32 = 1;
const AUTHORITY: [u8; 32] = [0x5a; 32]; // secret
const VERSION_OF_KEY: [u8; 2] = [1, 0];
const VALIDITY: Duration = Duration::from_secs(3600);

type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Error>;

/// SRI's errors have no other text.
fn said(error: impl Debug) -> Error {
    format!("{error:?}").into()
}

struct Link {
    stream: TcpStream,
    encoder: NoiseEncoder,
    encryption: TransportEncryptState,
    decoder: NoiseDecoder,
    decryption: Option<TransportDecryptState>, // the decoder takes it and gives it back
}

impl Link {
    /// With the handshake.
    fn accept(mut stream: TcpStream, public: &[u8; 32]) -> Result<Self> {
        stream.set_nodelay(true)?;
        let mut first = [0; ELLSWIFT_ENCODING_SIZE];
        stream.read_exact(&mut first)?;
        let responder = Responder::from_authority_kp(public, &AUTHORITY, VALIDITY).map_err(said)?;
        let (answer, transport) = Handshake::responder(responder).step_1(first).map_err(said)?;
        stream.write_all(answer.payload())?;
        let (encryption, decryption) = transport.split();
        let (encoder, decoder) = (NoiseEncoder::new(), NoiseDecoder::new());
        Ok(Self { stream, encoder, encryption, decoder, decryption: Some(decryption) })
    }

    fn send(&mut self, message: AnyMessageOwned) -> Result<()> {
        let (kind, of_channel) = (message.message_type(), message.channel_bit());
        let frame = MessageFrame::from_message(message, kind, 0, of_channel).map_err(said)?;
        let sealed = self.encoder.encode_transport(frame, &mut self.encryption).map_err(said)?;
        Ok(self.stream.write_all(&sealed[..])?)
    }

    fn receive(&mut self) -> Result<AnyMessageOwned> {
        loop {
            let state = self.decryption.take().ok_or("the connection is over")?;
            match self.decoder.next_transport_frame(state).map_err(said)? {
                Decrypted::Incomplete(_, state) => {
                    self.decryption = Some(state);
                    self.stream.read_exact(self.decoder.writable())?;
                }
                Decrypted::Frame(mut frame, state) => {
                    self.decryption = Some(state);
                    let header = frame.header();
                    return Ok(AnyMessage::try_from((header, frame.payload())).map_err(said)?.into_owned());
                }
            }
        }
    }
}

fn serve(stream: TcpStream, public: &[u8; 32], flags: u32, terms: Terms) -> Result<()> {
    let mut link = Link::accept(stream, public)?;
    let mut work: Option<Work> = None;
    loop {
        let answers = match (link.receive()?, &mut work) {
            (AnyMessageOwned::Common(CommonMessagesOwned::SetupConnection(setup)), None) => {
                let used_version = setup.get_version(VERSION, VERSION).ok_or("a client of another version")?;
                let success = SetupConnectionSuccess { used_version, flags };
                link.send(AnyMessageOwned::Common(CommonMessagesOwned::SetupConnectionSuccess(success)))?;
                vec![]
            }
            (AnyMessageOwned::Mining(MiningOwned::OpenStandardMiningChannel(open)), None) => {
                let (new, answer) = Work::open_standard(open, terms)?;
                [vec![answer], work.insert(new).next_block()?].concat()
            }
            (AnyMessageOwned::Mining(MiningOwned::OpenExtendedMiningChannel(open)), None) => {
                let (new, answer) = Work::open_extended(open, terms)?;
                [vec![answer], work.insert(new).next_block()?].concat()
            }
            (AnyMessageOwned::Mining(message), Some(work)) => work.take(message)?,
            (other, _) => return Err(format!("unexpected: {other}").into()),
        };
        for answer in answers {
            link.send(AnyMessageOwned::Mining(answer))?;
        }
    }
}

fn argument<T: std::str::FromStr>(index: usize) -> Result<T> {
    let text = env::args().nth(index).ok_or("expected FLAGS BATCH RATE")?;
    text.parse().map_err(|_| format!("{text} is not a number that is expected here").into())
}

fn main() -> Result<()> {
    let flags = argument(1)?;
    let terms = Terms { rolling: flags & REQUIRES_FIXED_VERSION == 0, batch: argument(2)?, rate: argument(3)? };
    thread::spawn(|| {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        process::exit(0);
    });
    let secret = SecretKey::from_slice(&AUTHORITY)?;
    let public = Keypair::from_secret_key(&Secp256k1::new(), &secret).x_only_public_key().0.serialize();
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{} {}", listener.local_addr()?.port(), base58::encode_check(&[&VERSION_OF_KEY[..], &public].concat()));
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || {
            if let Err(error) = serve(stream, &public, flags, terms) {
                println!("closed {error}");
            }
        });
    }
    Ok(())
}
