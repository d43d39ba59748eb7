# gauntlet as one static program in an otherwise empty image. The context is a folder with an
# archive that `.ci/archive` packs, as amd64.tgz or arm64.tgz (docs/INSTALL.md). TARGETARCH has no
# default: a default would replace the architecture of the image.
FROM scratch AS archive
ARG TARGETARCH
ADD $TARGETARCH.tgz /

FROM scratch
COPY --from=archive /gauntlet-bench-*/gauntlet /bin/
WORKDIR /work
ENTRYPOINT ["/bin/gauntlet"]
