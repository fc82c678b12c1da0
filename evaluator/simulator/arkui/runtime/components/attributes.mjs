// Attributes that any component may carry here: they are simulated, or they change only
// looks that no check can see.

const words = (text) => text.trim().split(/\s+/);

const SIMULATED = words(`
  width height size padding margin layoutWeight position offset constraintSize aspectRatio align alignSelf
  alignRules visibility enabled opacity id key onClick onAppear onDisAppear onAttach onDetach onFocus onBlur
  onTouch gesture parallelGesture priorityGesture bindMenu bindContextMenu bindSheet bindContentCover bindPopup
  overlay onAreaChange onSizeChange onVisibleAreaChange focusable defaultFocus focusOnTouch tabIndex fontSize
  fontColor fontWeight backgroundColor textAlign maxLines accessibilityText accessibilityDescription
  accessibilityGroup accessibilityLevel alignItems justifyContent alignContent flexGrow flexShrink flexBasis
  displayPriority stateStyles attributeModifier decoration hitTestBehavior
  onHover onMouse
`);

const LOOKS = words(`
  accessibilityImportance customContentTransition dragAnimation edgeEffection gridOffset gridSpan layoutPriority
  menuCount passwordRules textFont useAlign windowBlur
  alignmentVisual allowForceDark animation backdropBlur background backgroundBlurStyle backgroundBrightness
  backgroundEffect backgroundImage backgroundImagePosition backgroundImageResizable backgroundImageSize
  blendMode blur border borderColor borderImage borderRadius borderStyle borderWidth brightness chainMode
  chainWeight clickEffect clip clipShape colorBlend colorFilter compositingFilter contrast
  copyOption direction draggable drawModifier enableDataDetector expandSafeArea ellipsisMode fallbackLineSpacing
  focusBox focusScopeId focusScopePriority font fontFamily fontFeature fontStyle foregroundBlurStyle
  foregroundColor foregroundEffect freeze geometryTransition grayscale groupDefaultFocus halfLeading
  heightAdaptivePolicy hoverEffect hueRotate ignoreLayoutSafeArea invert keyboardShortcut letterSpacing
  lightUpEffect lineBreakStrategy lineHeight lineSpacing linearGradient linearGradientBlur markAnchor mask
  maskShape maxFontScale maxFontSize minFontScale minFontSize monopolizeEvents motionBlur motionPath
  mouseResponseRegion obscured optimizeTrailingSpace outline outlineColor outlineRadius outlineStyle
  outlineWidth pixelRound pixelStretchEffect privacySensitive radialGradient renderFit renderGroup responseRegion
  restoreId reuseId rotate safeAreaPadding saturate scale sepia shadow sharedTransition shouldBuiltInRecognizerParallelWith
  sphericalEffect sweepGradient systemBarEffect textCase textIndent textOverflow textShadow toolbar transform
  transform3D transition translate useEffect useShadowBatch useSizeType wordBreak zIndex textContentAlign
  baselineOffset textVerticalAlign caretColor selectedBackgroundColor placeholderColor placeholderFont
  showUnderline underlineColor passwordIcon showPasswordIcon enterKeyType barState cancelButton
  selectionMenuHidden enableKeyboardOnFocus enablePreviewText enableHapticFeedback contentType textInputStyle style
  caretStyle caretPosition showCounter showError searchButton searchIcon objectFit objectRepeat fillColor
  interpolation renderMode sourceSize autoResize syncLoad alt colorMode dynamicRangeMode imageSpanAlignment
  draggable orientation type stateEffect buttonStyle controlSize role contentModifier labelStyle
  selectedColor unselectedColor switchPointColor switchStyle shape mark checkboxStyle radioStyle color
  strokeWidth vertical blockColor trackColor trackThickness trackBorderRadius selectedBorderRadius blockStyle
  blockBorderColor blockBorderWidth stepColor stepSize showSteps showTips slideRange minLabel maxLabel
  minResponsiveDistance edgeEffect scrollBar scrollBarColor scrollBarWidth scrollBarMargin scrollSnap
  nestedScroll friction flingSpeedLimit fadingEdge enableScrollInteraction cachedCount divider lanes sticky
  listDirection alignListItem chainAnimation multiSelectable maintainVisibleContentPosition contentStartOffset contentEndOffset
  columnsTemplate rowsTemplate columnsGap rowsGap editMode supportAnimation layoutDirection maxCount minCount
  cellLength itemConstraintSize stackFromEnd clipContent backToTop
  barMode barWidth barHeight barPosition barOverlap barBackgroundColor barBackgroundBlurStyle barGridAlign
  animationDuration animationMode scrollable loop autoPlay interval indicator indicatorStyle itemSpace
  displayMode displayCount effectMode curve duration disableSwipe prevMargin nextMargin displayArrow
  indicatorInteractive nestedScrollMode edgeEffectOptions fadingEdgeOptions pageFlipMode tabBarMode
  titleMode hideTitleBar hideBackButton hideToolBar hideNavBar mode menus navBarWidth navBarPosition
  minContentWidth navBarWidthRange backButtonIcon enableToolBarAdaptation enableModeChangeAnimation
  enableDragBar navBarSplitStyle recoverable systemTransition customTransition systemBarStyle
  customNavContentTransition ignoreLayoutSafeArea swipeBackEnabled bindToScrollable bindToNestedScrollable
  optionFont optionFontColor optionBgColor optionWidth optionHeight selectedOptionFont selectedOptionFontColor
  selectedOptionBgColor menuItemContentModifier menuBackgroundColor menuBackgroundBlurStyle menuAlign arrowPosition
  arrowModifier textModifier optionTextModifier selectedOptionTextModifier space controlSize dividerStyle avoidance
  stars starStyle lineCap startPoint endPoint stroke fill strokeOpacity fillOpacity strokeDashArray
  strokeLineCap strokeLineJoin strokeMiterLimit antiAlias radius radiusWidth radiusHeight commands points viewPort
  effectStrategy symbolEffect renderingStrategy breakpoints columns gutter span gridColOffset order
  refreshOffset pullToRefresh pullDownRatio enableLoading currentItem headerCount colors
  guideLine barrier keyboardAvoidMode dragPreview dragPreviewOptions allowDrop editModeOptions
  toolTip useUnionEffect materialFilter visualEffect backgroundFilter foregroundFilter compositingFilter
  advancedBlendMode privacyMode marqueeOptions halfLeading privacySensitive textSelectable selection
  dataDetectorConfig bindSelectionMenu editMenuOptions onlyBetweenLines strokeColor lineHeightMultiple
`);

// Dragging takes those that carry data from one component to another; where a drag meets
// one of the others, that is reported.
export const DRAG_EVENTS = words(`
  onDragStart onDragEnter onDragMove onDragLeave onDrop onDragEnd onPreDrag onItemDragStart onItemDragEnter
  onItemDragMove onItemDragLeave onItemDrop onItemMove onItemDelete onMove
`);
const NEVER_SENT = words(`
  onAccessibility onFocusMove onScrollBarUpdate onHoverMove onKeyEvent onKeyPreIme onKeyEventDispatch onAccessibilityHover onAxisEvent onFocusAxisEvent
  onDigitalCrown onGestureJudgeBegin onGestureRecognizerJudgeBegin onTouchIntercept onChildTouchTest onGestureCollectIntercept
`);

export const attributes = new Set([...SIMULATED, ...LOOKS, ...DRAG_EVENTS, ...NEVER_SENT]);
