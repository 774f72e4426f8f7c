#!/bin/sh
# Debian packages that pip cannot bring. `runtime`: what opencv-python wants on a bare system.
# `synth`: fonts and card sheets for the synthetic decks; `train`: those and nothing else;
# `pictures`: the browser that photographs the page; `test`: what some tests try beside our own, and are left out without:
# an RTSP server that others wrote, a compiler for the sketch of a seat box.
# Installs only as root on a Debian with apt-get; elsewhere it says what would be needed and goes on.
set -u
runtime="libgl1 libglib2.0-0"
synth="librsvg2-bin gnome-cards-data kdegames-card-data-kf5
fonts-dejavu fonts-liberation fonts-open-sans fonts-roboto-hinted fonts-roboto-slab fonts-lato fonts-cantarell
fonts-croscore fonts-crosextra-carlito fonts-crosextra-caladea fonts-ebgaramond fonts-gfs-didot fonts-gfs-artemisia
fonts-gfs-bodoni-classic fonts-gfs-neohellenic fonts-linuxlibertine fonts-cabin fonts-dosis fonts-inter
fonts-lobstertwo fonts-oxygen fonts-sil-gentium fonts-sil-charis fonts-urw-base35 fonts-freefont-ttf fonts-texgyre
fonts-vollkorn fonts-bebas-neue fonts-hack fonts-firacode fonts-junction fonts-prociono fonts-yanone-kaffeesatz
fonts-cmu fonts-adf-accanthis fonts-adf-baskervald fonts-adf-berenis fonts-adf-gillius fonts-adf-ikarius
fonts-adf-irianis fonts-adf-libris fonts-adf-mekanus fonts-adf-oldania fonts-adf-romande fonts-adf-solothurn
fonts-adf-switzera fonts-adf-tribun fonts-adf-universalis fonts-adf-verana fonts-noto-cjk fonts-wqy-zenhei
fonts-wqy-microhei fonts-arphic-ukai fonts-arphic-uming fonts-symbola fonts-averia-sans-gwf fonts-averia-serif-gwf
fonts-comic-neue fonts-goudybookletter fonts-jura fonts-karla fonts-lindenhill fonts-manrope
fonts-oldstandard fonts-opendin fonts-paratype fonts-play fonts-quattrocento fonts-quicksand fonts-stix fonts-tuffy
fonts-yrsa-rasa fonts-league-spartan fonts-clear-sans fonts-arapey fonts-cardo fonts-courier-prime fonts-b612
fonts-allerta fonts-go fonts-junicode fonts-elstob fonts-karmilla fonts-essays1743 fonts-smiley-sans"
test="python3-gi gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-good gstreamer1.0-plugins-ugly g++"
case "${1:-runtime}" in
  runtime) want=$runtime ;;
  synth|train) want="$runtime $synth" ;;
  pictures) want="$runtime chromium fonts-noto-cjk" ;;
  test) want="$runtime $test" ;;
  *) echo "usage: $0 runtime|synth|train|pictures|test" >&2; exit 2 ;;
esac
command -v dpkg-query >/dev/null 2>&1 || { echo "Not a Debian: needed from your system's packages: $want"; exit 0; }
missing=
for package in $want; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "These Debian packages are missing and only root can install them: $missing"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >/dev/null
have=
for package in $missing; do
  if apt-cache show "$package" >/dev/null 2>&1; then have="$have $package"; else echo "not offered here: $package"; fi
done
[ -z "$have" ] || apt-get install -y -q --no-install-recommends $have >/dev/null || echo "apt-get could not install:$have"
exit 0
